import { Refusal } from '../../contract/refusal.ts';

/** The database could not be opened; the message says at which address and what to do. */
export class DatabaseRefused extends Refusal {
  override readonly name = 'DatabaseRefused';
}

const OLDEST = 14;

/**
 * Refuses an address that is not PostgreSQL's, which the driver would replace by the default one. The message
 * shows only its scheme: the rest may hold a password.
 */
export function refuseAddress(url: string): void {
  const kind = /^[a-z][\w+.-]*:/i.exec(url)?.[0] ?? '';
  if (/^(postgres(ql)?|socket):$/i.test(kind) || url.startsWith('/')) return;
  const address = kind === '' ? 'What --database names' : `${kind}//…`;
  throw new DatabaseRefused(
    `${address} is no PostgreSQL address. Give --database as postgres://user@host:5432/database.`,
  );
}

/** `version` as `server_version_num` has it: 140005 is 14.5. */
export function refuseOld(url: string, version: number): void {
  const major = Math.floor(version / 10_000);
  if (major >= OLDEST) return;
  throw new DatabaseRefused(
    `PostgreSQL at ${placeOf(url).host} is version ${major}; Evident needs ${OLDEST} or newer. Nothing was changed.`,
  );
}

/**
 * The refusal for a database that could not be opened, if a person can mend that; it never contains the
 * password.
 */
export function refusalFor(url: string, error: unknown): unknown {
  const place = placeOf(url);
  const { code, message, cause } = (error ?? {}) as Failure & { readonly cause?: Failure };
  // A refusal of the store has a code of its own, for programs: PostgreSQL's is in its cause.
  const driverCode = error instanceof Refusal ? cause?.code : (code ?? cause?.code);
  const sentence =
    sentenceOf(place, String(driverCode ?? '')) ?? driverRefusal(place, String(cause?.message ?? message));
  return sentence === null ? error : new DatabaseRefused(sentence, { cause: error });
}

interface Failure {
  readonly code?: unknown;
  readonly message?: unknown;
}

interface DatabaseAddress {
  readonly host: string;
  readonly user: string;
  readonly database: string;
}

function placeOf(url: string): DatabaseAddress {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const host = parsed?.searchParams.get('host') ?? parsed?.hostname ?? '';
  const name = (text: string | undefined) => decodeURIComponent(text ?? '');
  const user = name(parsed?.username) || 'the default user';
  const port = parsed?.port || '5432';
  return {
    host: host.startsWith('/') ? host : `${host || 'localhost'}:${port}`,
    user,
    database: name(parsed?.pathname.slice(1)) || user,
  };
}

function sentenceOf({ host, user, database }: DatabaseAddress, code: string): string | null {
  switch (code) {
    case 'ECONNREFUSED':
    case 'ECONNRESET':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
    case 'ENOENT':
      return `PostgreSQL cannot be reached at ${host} (${code}). Start it, or correct --database; nothing was changed.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `PostgreSQL cannot be reached at ${host}: nobody knows that name (${code}). Correct --database.`;
    case '57P03':
      return `PostgreSQL at ${host} is still starting, or shutting down. Try again in a moment.`;
    case '53300':
      return `PostgreSQL at ${host} has no connection left. Raise its max_connections, or stop what holds them.`;
    case '28P01':
    case '28000':
      return `PostgreSQL at ${host} does not let ${user} in. Correct user and password in --database.`;
    case '3D000':
      return `PostgreSQL at ${host} has no database ${database}. Create it: createdb ${database}`;
    case '42501':
      return `PostgreSQL at ${host} does not allow ${user} to make tables in ${database}. Make that user its owner.`;
    case '25006':
      return `PostgreSQL at ${host} takes no writes: it is a standby, or read-only. Name the primary in --database.`;
    default:
      return null;
  }
}

/** The driver's own errors have no code, so they are recognised by their text. */
function driverRefusal({ host }: DatabaseAddress, message: string): string | null {
  if (/does not support SSL connections/.test(message))
    return `PostgreSQL at ${host} speaks no SSL, and --database asks for it (sslmode). Turn it on there, or leave sslmode out.`;
  if (/due to connection timeout/.test(message))
    return `PostgreSQL at ${host} does not answer. See what keeps it, or correct --database; nothing was changed.`;
  return null;
}
