/** Names that people give to credentials; a public key and the name of a key are none. */
const SECRET_NAME =
  /(?:^|_)(?:PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|SECRET|TOKEN|KEY|APIKEY|CREDENTIALS?)(?:_BASE64|_HEX)?$/i;
const PUBLIC_NAME = /(?:^|_)(?:PUBLIC|PARTITION|SORT|CACHE|PRIMARY|FOREIGN)_KEY$/i;
/** Somebody's password before the host of an address. */
const PASSWORD_IN_ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:[^\s/@]+@/i;
/** The forms of well-known tokens and of private keys. */
const TOKEN =
  /^(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|sk_(?:live|test)_|AKIA[0-9A-Z]{12}|eyJ[\w-]+\.eyJ)|-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** A plain variable whose name or value is that of a credential: whoever may read the service reads it. Pure. */
export const looksSecret = (name: string, value: unknown): boolean =>
  typeof value === 'string' &&
  value !== '' &&
  ((SECRET_NAME.test(name) && !PUBLIC_NAME.test(name)) ||
    PASSWORD_IN_ADDRESS.test(value) ||
    TOKEN.test(value));

/** Stands for such a value wherever it would be shown. */
export const MASKED = '•••••• (looks like a secret; use --secret)';

/** The advice to whoever has just set such variables; null: none is one. */
export function secretAdvice(env: Readonly<Record<string, unknown>>): string | null {
  const names = Object.entries(env).flatMap(([name, value]) => (looksSecret(name, value) ? [name] : []));
  const [first] = names;
  if (first === undefined) return null;
  const isOne = names.length === 1;
  return `${names.join(', ')} ${isOne ? 'looks like a secret' : 'look like secrets'}, and ${isOne ? 'is' : 'are'} stored as plain text. Use --secret: evident secrets set ${names.map((name) => `${name}=…`).join(' ')} SERVICE`;
}
