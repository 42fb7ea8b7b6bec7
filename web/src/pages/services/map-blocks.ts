import { groupOf } from './attention.ts';
import { isDown } from './down.ts';
import type { ServiceRowView } from './rows.ts';

/** The form of a service on the map: `down` where something is wrong and nothing serves. */
export type CellForm = 'running' | 'unknown' | 'down' | 'failed' | 'degraded' | 'progress' | 'stopped';

/** The services of a namespace; of a target without namespaces, all of them. */
export interface NamespaceBlock {
  readonly namespace: string | null;
  /** The reason why nothing of it is known, if it is the same for all; null where its target is silent, or something is. */
  readonly trouble: string | null;
  readonly rows: readonly ServiceRowView[];
}

/** A target with its services, each always in the same place. */
export interface TargetBlock {
  readonly target: string;
  readonly isSilent: boolean;
  readonly count: number;
  readonly namespaces: readonly NamespaceBlock[];
}

/** Targets with most services first, so that the places of a large fleet do not move; all else by name. Pure. */
export function mapBlocks(rows: readonly ServiceRowView[]): readonly TargetBlock[] {
  const targets = [...grouped(rows, ({ target }) => target)];
  return targets
    .map(([target, on]) => ({
      target,
      isSilent: on.some(({ isTargetSilent }) => isTargetSilent),
      count: on.length,
      namespaces: [...grouped(on, ({ namespace }) => namespace ?? '')]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([namespace, inIt]) => ({
          namespace: namespace === '' ? null : namespace,
          trouble: troubleOf(inIt),
          rows: inIt.toSorted((a, b) => (a.ref < b.ref ? -1 : 1)),
        })),
    }))
    .sort((a, b) => b.count - a.count || (a.target < b.target ? -1 : 1));
}

const TROUBLES: Readonly<Record<string, string>> = {
  forbidden: 'may not be read',
  runtime_unreachable: 'does not answer',
  not_observed: 'not covered by the rule',
};

function troubleOf(rows: readonly ServiceRowView[]): string | null {
  const code = rows[0]?.claim.cause?.code ?? '';
  const isSame = rows.every(
    ({ claim, isTargetSilent }) => claim.state === 'unknown' && claim.cause?.code === code && !isTargetSilent,
  );
  return isSame ? (TROUBLES[code] ?? null) : null;
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = found.get(key);
    if (group === undefined) found.set(key, [item]);
    else group.push(item);
  }
  return found;
}

/** Nobody knows what runs at a silent target, whatever the state of its deploy. */
export function cellForm(row: ServiceRowView): CellForm {
  const { state } = row.claimView;
  switch (groupOf(row)) {
    case 'unknown':
      return 'unknown';
    case 'running':
      return 'running';
    case 'stopped':
      return 'stopped';
    default:
      if (isDown(row)) return 'down';
      return state === 'failed' || state === 'degraded' ? state : 'progress';
  }
}
