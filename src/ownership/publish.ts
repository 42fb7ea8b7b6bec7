import type { Door } from '../evidence/door/door.ts';
import type { Host } from '../evidence/door/host.ts';
import type { Prefetch } from '../evidence/door/prefetch.ts';
import { throughDoorEach } from '../evidence/door/through-door.ts';
import { isIntact, readable } from '../store/broken-row.ts';
import type { CommandRow } from '../store/schema.ts';

/** Hands a command to the queue. Our own queue is the table itself, so the default hands over by doing nothing. */
export type Deliver = (command: CommandRow) => Promise<void>;

const intoTable: Deliver = async () => {};

/**
 * The publisher's turn: every recorded command is delivered and marked, or its failure is recorded and it is
 * tried again next turn. Level-triggered: a publisher that dies after the delivery repeats it, and a queue
 * that receives it twice finds one command (F05, F06).
 */
export async function publish(
  host: Host,
  publisher: { readonly name: string; readonly instance: string },
  org: string,
  deliver: Deliver = intoTable,
): Promise<number> {
  const recorded = await host.store.read((tx) =>
    tx.select('commands', { org, state: 'recorded' }, { order: 'availableAt', limit: 100 }),
  );
  const handed: (readonly [CommandRow, DeliveryFailed | null])[] = [];
  for (const command of recorded.filter(isIntact)) {
    const failure = await deliver(command).then(
      () => null,
      (error: unknown) => (error instanceof DeliveryFailed ? error : Promise.reject(error)),
    );
    handed.push([command, failure]);
  }
  // All commands of a turn share one transaction; one that cannot be marked fails alone and is reported.
  const marked = await throughDoorEach(
    host,
    org,
    handed.map(([command, failure]) => marking(publisher, command, failure)),
  );
  let published = 0;
  for (const one of marked) if (one.status === 'rejected') throw one.reason;
  for (const one of marked) if (one.status === 'fulfilled') published += one.value;
  return published;
}

/** The queue refused the command, which stays recorded. */
export class DeliveryFailed extends Error {
  override readonly name = 'DeliveryFailed';
}

function marking(
  publisher: { readonly name: string; readonly instance: string },
  { org, id, service, revision, attempt }: CommandRow,
  failure: DeliveryFailed | null,
) {
  const prefetch: Prefetch[] = [
    { table: 'services', keys: [{ org, service }] },
    { table: 'commands', keys: [{ org, id }] },
    { table: 'revisions', keys: [{ org, service, revision }] },
  ];
  const work = async (door: Door): Promise<number> => {
    const file = await door.file(service);
    if (file === null) return 0;
    const about = { source: { role: 'publisher', ...publisher } as const, revision, attempt, command: id };
    if (failure !== null) {
      const waiting = await door.tx.get('commands', { org, id });
      if (readable(waiting).state !== 'recorded') return 0;
      const body = { message: failure.message };
      await door.admit(file, { kind: 'command.publish_failed', ...about, body });
      return 0;
    }
    // mutant: publish-once
    const expect = { state: 'recorded' } as const;
    const moved = await door.tx.update('commands', { org, id }, expect, {
      state: 'published',
      availableAt: door.at,
    });
    if (moved === 1) await door.admit(file, { kind: 'command.published', ...about, body: {} });
    return moved;
  };
  return { work, prefetch };
}
