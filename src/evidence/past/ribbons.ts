import type { RevisionKind } from '../../contract/vocabulary.ts';
import { standingOf } from '../../projection/claim.ts';
import type { Interval } from '../../projection/intervals.ts';
import { type RibbonChange, type Stretch, stretchesOf } from '../../projection/ribbon.ts';
import { observedInstances } from '../../projection/running-contract.ts';
import { readable, type Stored } from '../../store/broken-row.ts';
import { gt, lte, type ReadTx } from '../../store/port.ts';
import type { Key } from '../../store/schema.ts';
import type { Host } from '../door/host.ts';
import { filesNow, type ServiceFile } from '../door/service-file.ts';
import { headAt } from './head-at.ts';
import { gapsSince } from './recoveries.ts';

/** A service that changes more often is shown from the oldest change that was read. */
const CHANGES = 2_000;
const TICKS = 200;

/** The begin of an attempt: somebody deployed, restarted, or rolled back. */
interface AttemptBegin {
  readonly at: number;
  readonly revision: number;
  readonly attempt: number;
  /** Null: its record cannot be read. */
  readonly kind: RevisionKind | null;
}

/** An exit of an instance: at the instant of the report that first showed it down, or up again. */
interface ExitTick {
  readonly at: number;
  readonly revision: number;
  readonly attempt: number;
  readonly kind: 'exit';
  /** It stands for so many that followed closely. */
  readonly count?: number;
  /** The begin of the life that it ended, by the clock of its machine. */
  readonly startedAt?: string;
  /** The name of the instance, where that is still shown. */
  readonly instance?: string;
}

/** The states of a service over a window, from its recorded changes. */
export interface Ribbon {
  readonly service: string;
  /** The part of the window that is on record and was read. */
  readonly window: Interval;
  readonly stretches: readonly Stretch[];
  readonly ticks: readonly (AttemptBegin | ExitTick)[];
}

/**
 * The ribbons of several services from one snapshot; a service that there is not is left out. Reads the changes inside the
 * window and one before it, so that it does not matter how long the services have lived.
 */
export function ribbonsOf(
  host: Host,
  org: string,
  services: readonly string[],
  window: { readonly from: number | null; readonly to: number | null; readonly ms: number },
): Promise<Ribbon[]> {
  return host.store.read(async (tx) => {
    const keys = services.map((service) => ({ org, service }));
    const query = { services: { table: 'services', keys }, target: null } as const;
    const { files, now } = await filesNow(tx, host.settings, org, query);
    const to = Math.min(window.to ?? now, now);
    const { keptFrom = 0 } = readable(await tx.get('retention', { org }));
    const from = Math.min(to, Math.max(window.from ?? to - window.ms, keptFrom));
    const head = await headAt(tx, org, from);
    const options = { order: 'position', descending: true } as const;
    const [later, earlier] = [
      await tx.readAll(
        files.map(({ service }) => ({
          table: 'transitions' as const,
          where: { org, service, position: gt(head) },
          options: { ...options, limit: CHANGES },
        })),
      ),
      await tx.readAll(
        files.map(({ service }) => ({
          table: 'transitions' as const,
          where: { org, service, position: lte(head) },
          options: { ...options, limit: 1 },
        })),
      ),
    ];
    const lost = (await gapsSince(tx, org, from)).map(({ lostSince, at }) => ({
      from: lostSince ?? at,
      to: at,
    }));
    const drafts = files.map((file, i) => {
      const isWhole = (later[i]?.length ?? 0) < CHANGES;
      const rows = [...(later[i] ?? []), ...(isWhole ? (earlier[i] ?? []) : [])].reverse();
      const changes = changesOf(rows);
      const covered = { from: isWhole ? from : Math.max(from, changes[0]?.at ?? from), to };
      const withNow = to < now ? changes : [...changes, ...sinceRecorded(file, changes, now)];
      return {
        service: file.service,
        window: covered,
        stretches: stretchesOf(withNow, covered, lost),
        begins: beginsOf(changes, covered),
        exits: exitsIn(file, covered),
      };
    });
    const kinds = await kindsOf(
      tx,
      drafts.flatMap(({ service, begins }) =>
        begins.map(({ revision, attempt }) => ({ org, service, revision, attempt })),
      ),
    );
    return drafts.map(({ begins, exits, ...ribbon }) => ({
      ...ribbon,
      ticks: [
        ...begins.map((begin) => ({ ...begin, kind: kinds.get(attemptName(ribbon.service, begin)) ?? null })),
        ...exits,
      ].sort((a, b) => a.at - b.at),
    }));
  });
}

interface ReadChange extends RibbonChange {
  readonly revision: number | undefined;
  readonly attempt: number | undefined;
}

/** A change that cannot be read led to a state that is not known (F56). */
export function changesOf(rows: readonly Stored<'transitions'>[]): ReadChange[] {
  let last = 0;
  return rows.map((row) => {
    const { at = last, to = 'unknown', revision, attempt } = readable(row);
    last = at;
    return { at, to, revision, attempt };
  });
}

/** A change by time alone that nobody has recorded yet (S2). */
function sinceRecorded(file: ServiceFile, changes: readonly ReadChange[], now: number): RibbonChange[] {
  const { state } = standingOf(file.intent, file.facts, now).standing;
  if (state === changes.at(-1)?.to) return [];
  return [{ at: Math.min(readable(file.stored ?? undefined).steadyUntil ?? now, now), to: state }];
}

type Begin = Omit<AttemptBegin, 'kind'>;

/** The first change of each attempt inside the window, the newest of them if there are many. */
export function beginsOf(changes: readonly ReadChange[], { from, to }: Interval): Begin[] {
  const begins: Begin[] = [];
  for (const [i, { at, revision, attempt }] of changes.entries()) {
    const before = changes[i - 1];
    if (revision === undefined || attempt === undefined || at < from || at >= to) continue;
    if (before?.revision !== revision || before.attempt !== attempt) begins.push({ at, revision, attempt });
  }
  return begins.slice(-TICKS);
}

/**
 * The exits that the facts keep. Rejected: reading them from the observations of the window, whose bodies hold every
 * instance: their cost grows with how often something was seen, and not with what a ribbon shows. Rejected: the exits that
 * count for a crash loop, which are dated by the start that followed (F113), so that one that is down moves.
 */
function exitsIn({ proven, stored }: ServiceFile, { from, to }: Interval): ExitTick[] {
  const { active = 1, attempt: newest = 1 } = readable(stored ?? undefined);
  const { ends = [] } = proven.observed;
  if (ends.length === 0) return [];
  const names = new Map(observedInstances(proven.observed).map(({ uid, name }) => [uid, name]));
  return ends
    .filter(({ at }) => at >= from && at < to)
    .map(({ at, uid, revision, attempt, count, startedAt }) => ({
      ...{ at, revision: revision ?? active, attempt: attempt ?? newest, kind: 'exit' as const },
      ...(count !== undefined && { count }),
      ...(startedAt !== undefined && { startedAt }),
      ...(names.get(uid) && { instance: names.get(uid) as string }),
    }));
}

async function kindsOf(
  tx: ReadTx,
  keys: readonly Key<'attempts'>[],
): Promise<ReadonlyMap<string, RevisionKind>> {
  const [rows] = await tx.readAll([{ table: 'attempts', keys }]);
  const kinds = new Map<string, RevisionKind>();
  for (const row of rows) {
    const { service, revision, attempt, kind } = readable(row);
    if (service !== undefined && revision !== undefined && attempt !== undefined && kind !== undefined)
      kinds.set(attemptName(service, { revision, attempt }), kind);
  }
  return kinds;
}

const attemptName = (service: string, { revision, attempt }: Pick<AttemptBegin, 'revision' | 'attempt'>) =>
  `${service} ${revision}.${attempt}`;
