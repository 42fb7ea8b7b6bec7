import type { Pattern } from './pattern.ts';

/** Secrets in URLs and headers, and names of internal hosts. */
export const ADDRESSES: readonly Pattern[] = [
  {
    kind: 'password',
    keywords: ['://'],
    // A port or a password follows the colon; the password may have characters that should have been encoded.
    pattern:
      /(:\/\/[^\s/?#@:"'<>[]{0,256}:)(?!\d{1,5}(?:[/?#"'\s<>]|$))(?:[^\s"'<>:]|:(?!\/\/)){1,512}(?=@)/g,
  },
  {
    kind: 'user',
    keywords: ['http://', 'https://'],
    pattern: /(https?:\/\/)[^\s/?#@:"'<>]{1,256}(?=@)/gi,
    keep: (secret) => secret === 'git',
  },
  {
    // The same in an escaped address, as in a query, or in a variable within another.
    kind: 'password',
    keywords: ['%3a%2f%2f'],
    pattern:
      /(%3A%2F%2F(?:(?!%(?:3A|40|2F))[^\s"'<>&]){0,256}%3A)(?!\d{1,5}(?:%2F|%3F|%23|["'\s<>&]|$))(?:(?!%3A%2F%2F)[^\s"'<>&]){1,512}(?=%40)/gi,
  },
  {
    kind: 'user',
    keywords: ['http%3a%2f%2f', 'https%3a%2f%2f'],
    pattern: /(https?%3A%2F%2F)(?:(?!%(?:3A|40|2F))[^\s"'<>&]){1,256}(?=%40)/gi,
    keep: (secret) => secret === 'git',
  },
  {
    kind: 'password',
    keywords: ['@tcp(', '@unix('],
    pattern: /((?<![\w.-])[\w.-]{1,64}:)[^\s@/]{1,200}(?=@(?:tcp|unix)\()/g,
  },
  {
    kind: 'password',
    keywords: ['jdbc:oracle'],
    pattern: /(jdbc:oracle:thin:[^\s/@]{1,100}\/)[^\s@]{1,200}(?=@)/gi,
  },
  {
    kind: 'parameter',
    keywords: [
      'token=',
      'sig=',
      'signature=',
      'credential=',
      'key=',
      'secret=',
      'pass',
      'pwd=',
      'auth=',
      'session',
    ],
    pattern:
      /([?&;](?:[a-z0-9.-]{1,20}[_.-]){0,4}(?:\w{0,20}token|sig|signature|credential|key|apikey|secret|password|passwd|pwd|auth|session|sessionid|sid)=)[^\s&#"'<>]{1,4096}/gi,
    keep: (secret, lead) => /[?&;]key=$/i.test(lead) && secret.length < 16,
  },
  {
    kind: 'header',
    keywords: ['authorization'],
    pattern:
      /(authorization["'\\]{0,3}\s{0,3}[:=]\s{0,3}["'\\[]{0,3}(?:bearer|basic|token|apikey|negotiate)\s{1,4})[^\s"',;\\]{1,4096}/gi,
  },
  {
    kind: 'header',
    keywords: ['authorization'],
    pattern:
      /(authorization["'\\]{0,3}\s{0,3}[:=]\s{0,3}["'\\[]{0,3})(?![\s"'\\[]|(?:bearer|basic|token|apikey|negotiate|required|missing)\b)[^"'\r\n\\]{1,4096}/gi,
  },
  {
    kind: 'header',
    keywords: ['bearer'],
    pattern: /(\bbearer\s{1,4})[\w.~+/=-]{8,4096}/gi,
    keep: (secret) => /^[A-Za-z-]+\.?$/.test(secret),
  },
  {
    kind: 'header',
    keywords: ['basic'],
    pattern: /(\bbasic\s{1,4})[A-Za-z0-9+/]{6,4096}={0,2}/gi,
    keep: (secret) => !Buffer.from(secret, 'base64').toString('latin1').includes(':'),
  },
  {
    kind: 'cookie',
    keywords: ['cookie'],
    pattern:
      /(\b(?:set-)?cookie["'\\]{0,3}\s{0,3}[:=]\s{0,3}["'\\[]{0,3})[\w.-]{1,100}=[^"'\r\n\\]{0,4096}/gi,
  },
  {
    kind: 'host',
    keywords: ['.internal', '.intranet', '.corp', '.lan', '.private', '.localdomain'],
    pattern:
      /(?<![\w.-])(?:[a-z0-9_-]{1,63}\.){1,10}(?:internal|intranet|corp|lan|private|localdomain)(?![\w-]|\.\w)/gi,
    keep: (host) => /(?:^|\.)docker\.internal$/i.test(host),
  },
  {
    kind: 'host',
    keywords: ['.svc', '.local'],
    pattern: /(?<![\w.-])(?:[a-z0-9_-]{1,63}\.){2,10}(?:svc|local)(?![\w-]|\.\w)/gi,
  },
  {
    kind: 'host',
    keywords: ['.local'],
    pattern: /(?<=\/\/|@)[a-z0-9_-]{1,63}\.local(?![\w-]|\.\w)/gi,
  },
  {
    // Alone only a name that ends with a number: `settings.local` and `docker-compose.local` are files.
    kind: 'host',
    keywords: ['.local'],
    pattern: /(?<![\w./\\=-])[a-z0-9_-]{0,60}\d{1,3}\.local(?![\w-]|\.\w)/gi,
  },
];
