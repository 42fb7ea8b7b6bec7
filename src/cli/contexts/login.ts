import { Client } from '../../client/client.ts';
import { People } from '../../client/people.ts';
import { ownSurroundings } from '../connection.ts';
import type { CliSurroundings } from '../data-place.ts';
import { inDataDirectory, inSavedContext, serverAddress } from '../find-connection.ts';
import { type OutputOptions, print } from '../output.ts';
import { printProblem, UsageError } from '../print-problem.ts';
import { EXIT } from '../proof/exit-code.ts';
import { sessionByLink } from './link-session.ts';
import { readToken, type TokenOptions } from './read-token.ts';
import { contextsFile, readContexts, type SavedContext, withSaved, writeContexts } from './saved-contexts.ts';

export interface LoginOptions extends OutputOptions, TokenOptions {
  readonly name?: string;
  readonly data?: string;
}

/**
 * `evident login`: finds out that a server accepts a token, and keeps both as the current context. Nothing is kept of a
 * token that the server refuses.
 */
export async function runLogin(url: string | undefined, options: LoginOptions): Promise<void> {
  try {
    await signIn(url, options, ownSurroundings());
    process.exitCode = EXIT.cameTrue;
  } catch (error) {
    process.exitCode = printProblem(error, options.output, null);
  }
}

async function signIn(
  url: string | undefined,
  options: LoginOptions,
  surroundings: CliSurroundings,
): Promise<void> {
  if (options.name !== undefined && !/^[\w.:-]{1,100}$/.test(options.name))
    throw new UsageError('A context’s name has letters, digits, dots, colons and dashes, and nothing else.');
  const saved = readContexts(surroundings);
  const { env } = surroundings;
  const named = options.data === undefined ? (url ?? env.EVIDENT_SERVER ?? '') : '';
  const context = named === '' ? ofDataDirectory(options.data, surroundings) : await ofServer(named, options);
  const { server, token } = inSavedContext(context, surroundings);
  const who = await new People(new Client(server, token ?? '')).session();
  const name = options.name ?? nameOf(server);
  await writeContexts(surroundings, withSaved(saved, name, context));
  const expiresAt = 'expiresAt' in context ? context.expiresAt : null;
  const until = expiresAt === null ? '' : `, until ${expiresAt}`;
  const { role, org } = who;
  await print(options.output, { context: name, server, role, org, name: who.name, expiresAt }, () =>
    [
      `Signed in to ${server} as ${who.name} (${role})${until}.`,
      `It is now the current context, “${name}”, for every folder. Kept in ${contextsFile(surroundings)}.`,
    ].join('\n'),
  );
  if (isReadableOnTheWay(server))
    process.stderr.write(
      `The connection to ${server} is not encrypted: others on the network can read the token.\n`,
    );
}

/** The server of a data directory of this user. Its files are read anew at each command, so that a new token is found. */
function ofDataDirectory(data: string | undefined, surroundings: CliSurroundings): SavedContext {
  const env = data === undefined ? surroundings.env : { ...surroundings.env, EVIDENT_DATA: data };
  const found = inDataDirectory({ ...surroundings, env });
  if (found.token === null) throw new UsageError(found.missing);
  return { data: found.place };
}

async function ofServer(named: string, options: LoginOptions): Promise<SavedContext> {
  const { server, link } = linkIn(named);
  if (link !== null) return { server, ...(await sessionByLink(server, link, Date.now())) };
  const token = await readToken(server, options);
  if (!token.includes('#link=')) return { server, token };
  const pasted = linkIn(token);
  if (pasted.server !== server)
    throw new UsageError(`This link belongs to ${pasted.server}, and not to ${server}.`);
  return { server, ...(await sessionByLink(server, pasted.link ?? '', Date.now())) };
}

/** An address, and the one-time link behind its #, as `evident up` and `evident open` print it. */
function linkIn(named: string): { readonly server: string; readonly link: string | null } {
  const [address = '', fragment = ''] = named.split('#');
  return { server: serverAddress(address), link: new URLSearchParams(fragment).get('link') };
}

/** The name of a context that was given none: the host, with a port that is not the usual one. */
const nameOf = (server: string) => new URL(server).host.replace(/[[\]]/g, '');

function isReadableOnTheWay(server: string): boolean {
  const { protocol, hostname } = new URL(server);
  return protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$|\.localhost$/.test(hostname);
}
