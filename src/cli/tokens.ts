import { ProblemAnswer, Unreachable } from '../client/client.ts';
import { type ConnectionOptions, connect } from './connection.ts';
import { plainly } from './plainly.ts';

interface Output {
  readonly output: 'text' | 'json';
}

export interface CreateOptions extends ConnectionOptions, Output {
  readonly role: string;
  readonly name?: string;
  readonly target?: string;
  readonly service?: string;
  readonly org?: string;
  readonly expires?: number;
}

interface Token {
  readonly id: string;
  readonly role: string;
  readonly name: string;
  readonly token?: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

export function createToken({ output, server, token, expires, ...asked }: CreateOptions): Promise<void> {
  return answered(output, async () => {
    const body = { ...asked, ...(expires === undefined ? {} : { expiresInMs: expires }) };
    const made = await connect({ ...(server && { server }), ...(token && { token }) }).call<Token>(
      'POST',
      '/v1/tokens',
      body,
    );
    console.log(
      output === 'json'
        ? JSON.stringify(made)
        : `${made.token}\n(${made.role} ${made.name}, id ${made.id}; it is shown this once)`,
    );
  });
}

export function listTokens({ output, ...connection }: ConnectionOptions & Output): Promise<void> {
  return answered(output, async () => {
    const { items } = await connect(connection).call<{ items: Token[] }>('GET', '/v1/tokens');
    if (output === 'json') console.log(JSON.stringify(items));
    else
      for (const { id, role, name, lastUsedAt, revokedAt } of items)
        console.log(
          `${id}  ${role}  ${name}  ${revokedAt === null ? `last used ${lastUsedAt ?? 'never'}` : `revoked ${revokedAt}`}`,
        );
  });
}

export function revokeToken(
  id: string,
  { output, ...connection }: ConnectionOptions & Output,
): Promise<void> {
  return answered(output, async () => {
    await connect(connection).call('DELETE', `/v1/tokens/${encodeURIComponent(id)}`);
    console.log(output === 'json' ? JSON.stringify({ id, revoked: true }) : `${id} is revoked.`);
  });
}

/** A refusal is a sentence, or with `-o json` the problem object, on standard error. */
function answered(output: Output['output'], work: () => Promise<void>): Promise<void> {
  return plainly(async () => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ProblemAnswer) && !(error instanceof Unreachable)) throw error;
      console.error(
        output === 'json' && error instanceof ProblemAnswer ? JSON.stringify(error.problem) : error.message,
      );
      process.exitCode = 1;
    }
  });
}
