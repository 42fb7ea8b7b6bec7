import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Client, ProblemAnswer } from '../client/client.ts';
import { type ConnectionOptions, connect } from './connection.ts';

interface ComponentDescription {
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
  component: ComponentDescription,
): Promise<{ client: Client; token: string }> {
  const token = options.token ?? process.env.EVIDENT_TOKEN;
  if (token !== undefined) return { client: connect({ ...options, token: token }), token: token };
  return componentOf(connect(options), component);
}

/** The same for a caller that already has the administrator's client. */
export async function componentOf(
  administrator: Client,
  { role, name, target, file }: ComponentDescription,
): Promise<{ client: Client; token: string }> {
  const stored = existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
  if (stored !== null && (await isAccepted(administrator.server, stored)))
    return { client: new Client(administrator.server, stored), token: stored };
  const request = { role, name, ...(target === undefined ? {} : { target }) };
  const { token } = await administrator.call<{ token: string }>('POST', '/v1/tokens', request);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return { client: new Client(administrator.server, token), token };
}

/** Returns false if the server rejects the token: a new database has none of the former one's tokens. */
async function isAccepted(server: string, token: string): Promise<boolean> {
  try {
    await new Client(server, token).call('POST', '/v1/logs', { items: [] });
  } catch (error) {
    // A server that cannot be reached may accept the token: the component keeps trying, and the server will
    // answer.
    return !(error instanceof ProblemAnswer && error.status === 401);
  }
  return true;
}
