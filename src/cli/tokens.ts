import { atDesk, type DeskOptions } from './context.ts';
import { EXIT } from './proof/exit-code.ts';
import { table } from './table.ts';
import { instant } from './verbs/instant.ts';

export interface CreateOptions extends DeskOptions {
  readonly role: string;
  readonly name?: string;
  readonly target?: string;
  readonly service?: string;
  readonly org?: string;
  readonly expires?: number;
}

export function createToken(options: CreateOptions): Promise<void> {
  const { role, name, target, service, org, expires } = options;
  return atDesk(options, null, async (desk) => {
    const body = { role, name, target, service, org, expiresInMs: expires };
    const made = await desk.people.createToken(body);
    await desk.print(
      made,
      () => `${made.token}\n(${made.role} ${made.name}, id ${made.id}; it is shown this once)`,
    );
    return EXIT.cameTrue;
  });
}

export function listTokens(options: DeskOptions): Promise<void> {
  return atDesk(options, null, async (desk) => {
    const items = await desk.people.tokens();
    await desk.print(items, () =>
      table(
        ['ID', 'ROLE', 'NAME', 'LAST USED', 'REVOKED'],
        items.map(({ id, role, name, lastUsedAt, revokedAt }) => [
          id,
          role,
          name,
          instant(lastUsedAt),
          instant(revokedAt),
        ]),
      ),
    );
    return EXIT.cameTrue;
  });
}

export function revokeToken(id: string, options: DeskOptions): Promise<void> {
  return atDesk(options, null, async (desk) => {
    await desk.people.revokeToken(id);
    await desk.print({ id, revoked: true }, () => `${id} is revoked.`);
    return EXIT.cameTrue;
  });
}
