import { publish } from '../../ownership/publish.ts';
import type { Incarnation } from '../../repair/incarnation.ts';
import { readAhead } from '../../repair/read-ahead.ts';
import { sweep } from '../../repair/sweep.ts';
import { readable } from '../../store/broken-row.ts';
import type { WebhookSender } from '../../webhooks/sender.ts';
import type { Hints } from '../hints.ts';
import type { Loop } from './loops.ts';
import { type RetentionContext, retain } from './retention.ts';

const TURN_MS = 1_000;
const HOUR_MS = 3_600_000;

interface LoopContext extends RetentionContext {
  readonly incarnation: Incarnation;
  readonly hints: Hints;
  /** This server's beat, with the mark of its files. */
  readonly beatOnce: () => Promise<void>;
  readonly webhookSender: WebhookSender;
  /** The name of this process: two servers on one database beat and sweep under different names. */
  readonly instance: string;
}

/** The loops of a server. Two servers that run the same loop do no harm (F36). */
export function platformLoops(context: LoopContext): Loop[] {
  const { host, incarnation, hints, instance, beatOnce, webhookSender } = context;
  const orgs = async () =>
    (await host.store.read((tx) => tx.select('heads', {}, { order: 'org' }))).flatMap(
      (head) => readable(head).org ?? [],
    );
  const dirty = new Set<string>();
  hints.onAny(({ org, recorded }) => recorded.length > 0 && dirty.add(org));
  let allAt = Number.NEGATIVE_INFINITY;
  let nextSweepMs = TURN_MS;
  return [
    { name: 'beat', everyMs: TURN_MS, turn: beatOnce },
    {
      name: 'publisher',
      everyMs: TURN_MS,
      turn: async () => {
        // A hint names its org; once a second the publisher looks at all orgs, hinted or not.
        const hinted = [...dirty];
        dirty.clear();
        const due = performance.now() - allAt >= TURN_MS;
        if (due) allAt = performance.now();
        for (const org of due ? await orgs() : hinted)
          await publish(host, { name: 'publisher', instance }, org);
      },
    },
    {
      name: 'sweeper',
      everyMs: TURN_MS,
      turn: async () => {
        nextSweepMs = TURN_MS;
        for (const org of await orgs()) {
          const swept = await sweep(host, { name: instance, instance }, org);
          nextSweepMs = Math.min(nextSweepMs, swept.nextMs ?? TURN_MS);
        }
      },
      // The sweeper runs when the next lease ends or the next scope falls silent, if that is before its next turn. One
      // millisecond more keeps it from running again at once for a lease that it has left open.
      nextMs: () => nextSweepMs + 1,
    },
    {
      name: 'read_ahead',
      everyMs: TURN_MS,
      turn: async () => {
        for (const org of await orgs()) await readAhead(host, org);
      },
    },
    { name: 'webhooks', everyMs: TURN_MS, turn: () => webhookSender.turn() },
    { name: 'witness', everyMs: TURN_MS, turn: async () => void (await incarnation.look()) },
    {
      name: 'retention',
      everyMs: HOUR_MS,
      turn: async () => {
        // Blindness is recorded before anything is judged old.
        await beatOnce();
        await retain(context, await orgs());
      },
    },
  ];
}
