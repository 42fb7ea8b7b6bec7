import type { Pattern } from './pattern.ts';

/** Words after which every value is a secret, and words after which it must look like one. */
const ALWAYS = 'pass(?:word|wd|phrase)|pwd|client[_-]?secret|secret|credentials?';
const IF_LONG =
  '(?:api|access|secret|private|signing|encryption|master|account|shared|shared[_-]?access|auth|app|session|license|deploy|service|storage|primary|ssh)[_-]?key(?:[_-]?id)?|token|pass|connection[_-]?string|dsn|salt';
const NAMES = `(?:${ALWAYS}|${IF_LONG})`;
const KEYWORDS = ['pass', 'pwd', 'secret', 'credential', 'key', 'token', 'connection', 'dsn', 'salt'];

/** Matches a value without quotes: a comma, semicolon or ampersand ends it only before another name. */
const BARE = '(?:[^\\s"\'`<>,;&]|[,;&](?!\\s|$|[\\w.-]{1,40}["\']?[:=])){1,4096}';
const QUOTED =
  '\\\\{1,3}["\'][^"\'\\\\]{1,4096}|"(?:[^"\\\\]|\\\\.){1,4096}|\'(?:[^\'\\\\]|\\\\.){1,4096}|`[^`]{1,4096}';
const VALUE = `(?:${QUOTED}|${BARE})`;
const OPENING = /^\\*["'`]?/;

const always = new RegExp(`(?:${ALWAYS})[^=:]*[=:>]`, 'i');
const PLACEHOLDER =
  /^(?:[*•x]{3,}|[{[(]+|\$\{?\w*\}?.?|%\w+%|\{\{.*|<.*|null|nil|none|true|false|undefined|empty|required|missing|invalid|not|is|unset|set|yes|no)[.,:;)\]}]*$/i;

/** The first words of what systems say of a file: `db_password: Permission denied` names the file. */
const COMPLAINT = /^(?:Permission|Operation|File|Too|Input\/output|Read-only|Device|Connection|Cannot)$/;

/** A reference, a placeholder, or a word that only follows one of the names. */
function isNoSecret(value: string, lead: string): boolean {
  const bare = value.replace(OPENING, '');
  // The working directory of the shell.
  if (/pwd["']?=$/i.test(lead) && bare.startsWith('/')) return true;
  if (PLACEHOLDER.test(bare) || COMPLAINT.test(bare)) return true;
  return !always.test(lead) && (bare.length < 6 || /^[A-Za-z][a-z]{0,11}[.,:;)]*$/.test(bare));
}

/** A value under this name in a document is always a secret. */
export const isSecretName = (name: string) => SECRET_NAME.test(name);
const SECRET_NAME = new RegExp(`${NAMES}|authorization`, 'i');

/** Secrets that are recognised by the text before them. */
export const CREDENTIALS: readonly Pattern[] = [
  {
    // Precedes the rules that stop at a space: here the value is the rest of the line.
    kind: 'value',
    keywords: ['pass', 'secret', 'token', 'key', 'credential', 'auth', 'pwd'],
    pattern: /^((?:export[ \t]{1,4})?[A-Z][A-Z0-9_]{0,80}=)[^\s"'`].{0,4096}$/gm,
    keep: (secret, lead) =>
      !/(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|CREDENTIALS?|AUTH|(?<!PUBLIC_)KEY)(?:_(?:BASE(?:64)?|B64|VALUE|HASH|\d{1,3}))?=$/.test(
        lead,
      ) ||
      / [\w.-]{1,40}=/.test(secret) ||
      isNoSecret(secret, lead.toLowerCase()),
  },
  {
    kind: 'value',
    keywords: KEYWORDS,
    pattern: new RegExp(
      `(${NAMES}(?:[_-]?(?:base64|base|b64|value|hash|\\d{1,3}))?(?:["'\\\\]{1,3}\\]?)?[ \\t]{0,8}(?:=>|:=|={1,2}|:)[ \\t]{0,8})${VALUE}`,
      'gi',
    ),
    keep: isNoSecret,
  },
  {
    // In prose. Without a colon only a value in quotes or one that is no word: "password is required" is a
    // message.
    kind: 'value',
    keywords: ['pass'],
    pattern: new RegExp(
      `(pass(?:word|wd|phrase)[ \\t]{1,4}(?:is|was)(?:[ \\t]{0,4}[:=]|(?=[ \\t]{1,4}["'\`]|[ \\t]{1,4}[^\\s<>,;&]{0,40}\\d))[ \\t]{0,4})${VALUE}`,
      'gi',
    ),
    keep: (secret) => {
      const bare = secret.replace(OPENING, '');
      return bare.length < 6 || PLACEHOLDER.test(bare) || /^[\d.,-]+$|^sha-?\d+$/i.test(bare);
    },
  },
  {
    kind: 'value',
    keywords: ['_key', '_pass', '_pw', '_auth', '_cred'],
    pattern: new RegExp(
      `((?<!PUBLIC)_(?:KEY|PASS|PW|AUTH|CREDS?)["']?[ \\t]{0,4}[=:][ \\t]{0,4})${VALUE}`,
      'gi',
    ),
    keep: isNoSecret,
  },
  {
    kind: 'value',
    keywords: ['pass', 'token', 'secret', 'key'],
    pattern: new RegExp(
      `(--(?:[a-z0-9]{1,20}-){0,3}(?:pass|password|passphrase|token|secret|api-?key|access-?key|private-?key)[ \\t]{1,4})(?!-)${VALUE}`,
      'gi',
    ),
    keep: isNoSecret,
  },
  {
    kind: 'value',
    keywords: ['-u ', '--user'],
    pattern: /((?:^|\s)(?:-u|--user)[ =]{1,2}["']?[^\s:"']{1,100}:)[^\s"']{1,400}/g,
    keep: (secret) => /^\d+$/.test(secret),
  },
  {
    kind: 'value',
    keywords: ['mysql', 'mariadb'],
    pattern: /(\b(?:mysql|mariadb)(?:-?dump|admin)?\b[^\n|;]{0,200}?\s-p)[^\s"']{3,400}/g,
  },
  {
    kind: 'value',
    keywords: ['login ', 'sshpass ', 'redis-cli '],
    pattern: /(\b(?:login|sshpass|redis-cli)\b[^\n|;]{0,200}?\s-[pa][ \t]{0,4}["']?)[^\s"'-][^\s"']{2,400}/g,
  },
  {
    kind: 'value',
    keywords: ['login'],
    pattern: /(\blogin\s{1,8}\S{1,200}\s{1,8}password\s{1,8})\S{1,400}/gi,
    keep: isNoSecret,
  },
  {
    kind: 'value',
    keywords: ['pass', 'pwd>', 'secret>', 'credential', 'key', 'token>', 'dsn>', 'salt>', 'string>'],
    pattern: new RegExp(`(<[\\w:.-]{0,40}${NAMES}>)[^<]{1,4096}`, 'gi'),
    keep: isNoSecret,
  },
  {
    kind: 'value',
    keywords: ['auth"', "auth'", '_auth'],
    pattern: /((?:["']auth["']\s{0,4}:\s{0,4}["']|_auth\s{0,3}=\s{0,3}))[A-Za-z0-9+/=]{8,4096}/g,
  },
];
