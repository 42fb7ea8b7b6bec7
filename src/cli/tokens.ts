import { type ContextOptions, inContext } from './context.ts';
import { EXIT } from './proof/exit-code.ts';
import { table } from './table.ts';
import { printedInstant } from './verbs/instant.ts';

export interface CreateOptions extends ContextOptions {
  readonly role: string;
  readonly name?: string;
  readonly target?: string;
  readonly service?: string;
  readonly org?: string;
  readonly expires?: number;
}

export function runTokenCreate(options: CreateOptions): Promise<void> {
  const { role, name, target, service, org, expires } = options;
  return inContext(options, null, async (context) => {
    const body = { role, name, target, service, org, expiresInMs: expires };
    const created = await context.people.createToken(body);
    // The token alone is the result: it goes through a pipe into a Secret.
    await context.print(created, () => created.token);
    context.note(`(${created.role} ${created.name}, id ${created.id}; it is shown only once)`);
    return EXIT.cameTrue;
  });
}

export function listTokens(options: ContextOptions): Promise<void> {
  return inContext(options, null, async (context) => {
    const items = await context.people.tokens();
    await context.print(items, (wide) =>
      table(
        ['ID', 'ROLE', 'NAME', 'LAST USED', 'REVOKED'],
        items.map(({ id, role, name, lastUsedAt, revokedAt }) => [
          id,
          role,
          name,
          printedInstant(lastUsedAt),
          [printedInstant(revokedAt), 'quiet'],
        ]),
        context.list(wide),
      ),
    );
    return EXIT.cameTrue;
  });
}

export function runTokenRevoke(id: string, options: ContextOptions): Promise<void> {
  return inContext(options, null, async (context) => {
    await context.people.revokeToken(id);
    await context.print({ id, revoked: true }, () => `${id} is revoked.`);
    return EXIT.cameTrue;
  });
}
