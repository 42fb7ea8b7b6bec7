import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { similarName } from '../contract/presentation/similar-name.ts';
import { readContexts, type SavedContext } from './contexts/saved-contexts.ts';
import { type CliSurroundings, findDataPlace } from './data-place.ts';
import { distrust, readOwnFile } from './own-file.ts';
import { NoStoreFound, UsageError } from './print-problem.ts';

/** The server that a command was told to call, and the token, if it was told both. */
export interface ConnectionOptions {
  readonly server?: string;
  readonly token?: string;
}

/** A server and the token that was made for it. `place` names where both come from. */
export interface FoundConnection {
  readonly server: string;
  readonly token: string;
  readonly place: string;
}

/** A server without a token for it, and the sentence that says what to do. */
interface TokenlessServer {
  readonly server: string;
  readonly token: null;
  readonly missing: string;
}

/**
 * Finds a server and the token for it, both in one place: the flags, the variables, a context of the user's own, or
 * one data directory. A folder in which a command happens to run names a server last: a context was chosen. A server that is named alone takes the token of the place that names the same server, and no other: the
 * token of one place never goes to the server of another (F126).
 *
 * Rejected: finding each by itself. A cloned repository with a `.evident/server.json` then got the
 * administrator's token from the user's home.
 */
export function findConnection(
  options: ConnectionOptions,
  surroundings: CliSurroundings,
  context: string | null = null,
): FoundConnection | TokenlessServer {
  const { env } = surroundings;
  const flags = pairOf(options.server, options.token);
  if (context !== null) {
    if (flags.server !== null || flags.token !== null)
      throw new UsageError('--context names a server and its token. Leave out --server and --token.');
    return inContextNamed(context, surroundings);
  }
  const variables = pairOf(env.EVIDENT_SERVER, env.EVIDENT_TOKEN);
  if (flags.server !== null && flags.token !== null)
    return { server: serverAddress(flags.server), token: flags.token, place: serverAddress(flags.server) };
  if (flags.token !== null)
    throw new UsageError(
      '--token needs --server: a token is sent only to the server it was made for. Name both, or neither.',
    );
  if (variables.server !== null && variables.token !== null) {
    const server = serverAddress(variables.server);
    if (flags.server === null || serverAddress(flags.server) === server)
      return { server, token: variables.token, place: server };
  }
  const named = flags.server ?? variables.server;
  if (named !== null) return withTokenFor(serverAddress(named), surroundings);
  if (variables.token !== null)
    throw new UsageError(
      'EVIDENT_TOKEN is set, and EVIDENT_SERVER is not: a token is sent only to the server it was made for. Set both, or neither.',
    );
  if (env.EVIDENT_CONTEXT) return inContextNamed(env.EVIDENT_CONTEXT, surroundings);
  const { current } = env.EVIDENT_DATA ? { current: null } : readContexts(surroundings);
  return current === null ? inDataDirectory(surroundings) : inContextNamed(current, surroundings);
}

function inContextNamed(name: string, surroundings: CliSurroundings): FoundConnection | TokenlessServer {
  const { contexts } = readContexts(surroundings);
  const context = contexts[name];
  if (context === undefined) throw new UsageError(noContext(name, Object.keys(contexts)));
  return inSavedContext(context, surroundings);
}

export function noContext(name: string, names: readonly string[]): string {
  const meant = similarName(name, names);
  if (meant !== null) return `No context “${name}”. Did you mean ${meant}?`;
  return names.length === 0
    ? `No context “${name}”. Sign in first: evident login URL`
    : `No context “${name}”. There are: ${names.join(', ')}.`;
}

/** The server of a context with its token, which is sent to no other (F126). */
export function inSavedContext(
  context: SavedContext,
  surroundings: CliSurroundings,
): FoundConnection | TokenlessServer {
  if ('data' in context)
    return inDataDirectory({ ...surroundings, env: { ...surroundings.env, EVIDENT_DATA: context.data } });
  const { server, token } = context;
  return { server, token, place: `the sign-in to ${server}` };
}

interface Pair {
  readonly server: string | null;
  readonly token: string | null;
}

/**
 * An empty value counts as none. A line end is no part of a value: a Secret that was made from the output of
 * `evident tokens create` has one, and no request can be sent with it.
 */
function pairOf(server: string | undefined, token: string | undefined): Pair {
  const pair = { server: server?.trim() || null, token: token?.trim() || null };
  if (pair.token !== null && /[^\x21-\x7e]/.test(pair.token))
    throw new UsageError(
      'The token has spaces or line ends in it, so that it is none. Pass what evident tokens create prints, and nothing else.',
    );
  return pair;
}

/** The token that a context or the data directory holds for this very server. */
function withTokenFor(server: string, surroundings: CliSurroundings): FoundConnection | TokenlessServer {
  const missing = `There is no token for ${server} here, and a token of another place is not sent to it. Sign in: evident login ${server}. Or name its token with --token beside --server, or set EVIDENT_SERVER and EVIDENT_TOKEN; an administrator makes one: evident tokens create --role deployer.`;
  const places = [
    ...Object.values(readContexts(surroundings).contexts).map(
      (context) => () => inSavedContext(context, surroundings),
    ),
    () => inDataDirectory(surroundings),
  ];
  for (const look of places) {
    const found = foundOrNull(look);
    if (found?.server === server) return found;
  }
  return { server, token: null, missing };
}

/** Null: there is no server in this place, or it is not trusted. */
function foundOrNull(
  look: () => FoundConnection | TokenlessServer,
): FoundConnection | TokenlessServer | null {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof NoStoreFound) && !(error instanceof UsageError)) throw error;
    return null;
  }
}

const OTHERWISE =
  'Or sign in to another: evident login URL. Or name server and token with --server and --token.';

/** Server and token of one data directory that only this user can have written. */
export function inDataDirectory(surroundings: CliSurroundings): FoundConnection | TokenlessServer {
  const { dir, searched } = findDataPlace(surroundings);
  if (dir === null)
    throw new NoStoreFound(
      `No server runs on ${searched.join(', ')}. Start one with: evident up. ${OTHERWISE}`,
    );
  const { uid } = surroundings;
  const refused = distrust(dir, uid);
  if (refused !== null) throw new UsageError(`${refused} ${OTHERWISE}`);
  const address = join(dir, 'server.json');
  if (!existsSync(address))
    throw new NoStoreFound(`No server runs on ${dir}. Start it with: evident up --data ${dir}. ${OTHERWISE}`);
  const server = serverIn(address, uid);
  const path = join(dir, 'admin-token');
  if (!existsSync(path))
    return {
      server,
      token: null,
      missing: `${dir} names the server ${server} and holds no token for it; a token of another place is not sent there. If you trust it, name server and token with --server and --token; an administrator makes one: evident tokens create --role deployer.`,
    };
  const token = readOwnFile(path, uid, { secret: true });
  if ('refused' in token) return { server, token: null, missing: `${token.refused} ${OTHERWISE}` };
  return { server, token: token.text.trim(), place: dir };
}

function serverIn(path: string, uid: number): string {
  const file = readOwnFile(path, uid, { secret: false });
  if ('refused' in file) throw new UsageError(`${file.refused} ${OTHERWISE}`);
  try {
    const { api } = JSON.parse(file.text) as { readonly api: unknown };
    return serverAddress(String(api));
  } catch {
    throw new NoStoreFound(`${path} names no server. Start the server again. ${OTHERWISE}`);
  }
}

/** One spelling for one server, so that the same server is found by whatever named it. */
export function serverAddress(named: string): string {
  if (!/^https?:\/\//.test(named) || !URL.canParse(named))
    throw new UsageError(
      `${JSON.stringify(named)} is no address of a server. Write it as http://127.0.0.1:7717.`,
    );
  return new URL(named).href.replace(/\/+$/, '');
}
