import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Client, ProblemAnswer } from '../client/client.ts';
import { requireConnection } from './connection.ts';
import type { ConnectionOptions, FoundConnection } from './find-connection.ts';

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
  const found = requireConnection(options);
  if (found.place === found.server)
    return { client: new Client(found.server, found.token), token: found.token };
  return componentOf(found, component);
}

/**
 * The same for a caller that already has the administrator's token. The file keeps the token with the place
 * it was made for, and a token of another place is not sent (F126).
 */
export async function componentOf(
  { server, token: administrator, place }: FoundConnection,
  { role, name, target, file }: ComponentDescription,
): Promise<{ client: Client; token: string }> {
  const [stored = '', madeFor] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  if (madeFor === place && (await isAccepted(server, stored)))
    return { client: new Client(server, stored), token: stored };
  const request = { role, name, ...(target === undefined ? {} : { target }) };
  const { token } = await new Client(server, administrator).call<{ token: string }>(
    'POST',
    '/v1/tokens',
    request,
  );
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${token}\n${place}\n`, { mode: 0o600 });
  return { client: new Client(server, token), token };
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
