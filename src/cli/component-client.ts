import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Client, ProblemAnswer } from '../client/client.ts';
import { type ConnectionOptions, connect } from './connection.ts';

interface Component {
  readonly role: 'builder' | 'agent';
  readonly name: string;
  readonly target?: string;
  /** Where a token that was made here is kept, for this machine's next start. */
  readonly file: string;
}

/**
 * A worker or agent beside its server needs no ceremony: it makes its token with the administrator's that is there,
 * once, and keeps it. Anywhere else it is given one.
 */
export async function componentClient(
  options: ConnectionOptions,
  component: Component,
): Promise<{ client: Client; token: string }> {
  const given = options.token ?? process.env.EVIDENT_TOKEN;
  if (given !== undefined) return { client: connect({ ...options, token: given }), token: given };
  return componentOf(connect(options), component);
}

/** The same for whoever has the administrator's client at hand. */
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

/** A database that was begun anew does not know the tokens of the one before. */
async function isKnown(server: string, token: string): Promise<boolean> {
  try {
    await new Client(server, token).call('POST', '/v1/logs', { items: [] });
  } catch (error) {
    // Whoever cannot be asked may know it: the component goes on asking, and is told.
    return !(error instanceof ProblemAnswer && error.status === 401);
  }
  return true;
}
