import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Client } from '../client/client.ts';
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
  { role, name, target, file }: Component,
): Promise<{ client: Client; token: string }> {
  const given = options.token ?? process.env.EVIDENT_TOKEN;
  if (given !== undefined) return { client: connect({ ...options, token: given }), token: given };
  const administrator = connect(options);
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
  const token =
    kept ?? (await made(administrator, { role, name, ...(target === undefined ? {} : { target }) }));
  if (kept === null) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${token}\n`, { mode: 0o600 });
  }
  return { client: new Client(administrator.server, token), token };
}

async function made(administrator: Client, asked: object): Promise<string> {
  return (await administrator.call<{ token: string }>('POST', '/v1/tokens', asked)).token;
}
