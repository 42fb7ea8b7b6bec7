/** A database that could not be opened, in a sentence that says where it was looked for and what to do. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused';
}

/** Why `url` could not be opened, if that is for a person to mend; its password is nowhere in it. */
export function refusedAt(url: string, error: unknown): unknown {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  const sentence = sentenceOf(placeOf(url), String(code ?? cause?.code ?? ''));
  return sentence === null ? error : new DatabaseRefused(sentence, { cause: error });
}

interface Place {
  readonly host: string;
  readonly user: string;
  readonly database: string;
}

function placeOf(url: string): Place {
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

function sentenceOf({ host, user, database }: Place, code: string): string | null {
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
    default:
      return null;
  }
}
