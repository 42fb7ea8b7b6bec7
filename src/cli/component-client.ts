import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Client, ProblemAnswer } from '../client/client.ts';
import { type ConnectionOptions, connect } from './connection.ts';

interface Component {
  readonly role: 'builder' | 'agent';
  readonly name: string;
  readonly target?: string;
  /** File that keeps a token created here, for the next start on this machine. */
  readonly file: string;
}

/**
 * A worker or agent beside its server creates its token once, with the administrator's token found there, and
 * keeps it. Anywhere else it must be passed one.
 */
export async function componentClient(
  options: ConnectionOptions,
  component: Component,
): Promise<{ client: Client; token: string }> {
  const given = options.token ?? process.env.EVIDENT_TOKEN;
  if (given !== undefined) return { client: connect({ ...options, token: given }), token: given };
  return componentOf(connect(options), component);
}

/** The same for a caller that already has the administrator's client. */
export async function componentOf(
  administrator: Client,
  { role, name, target, file }: Component,
): Promise<{ client: Client; token: string }> {
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
  if (kept !== null && (await isKnown(administrator.server, kept)))
    return { client: new Client(administrator.server, kept), token: kept };
  const asked = { role, name, ...(target === undefined ? {} : { target }) };
  const { token } = await administrator.call<{ token: string }>('POST', '/v1/tokens', asked);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return { client: new Client(administrator.server, token), token };
}

/**
 * Returns false if the server does not know the token: a new database knows none of the former one's tokens.
 */
async function isKnown(server: string, token: string): Promise<boolean> {
  try {
    await new Client(server, token).call('POST', '/v1/logs', { items: [] });
  } catch (error) {
    // A server that cannot be reached may know the token: the component keeps trying, and the server will
    // answer.
    return !(error instanceof ProblemAnswer && error.status === 401);
  }
  return true;
}
