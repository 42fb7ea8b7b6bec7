import { stageEnd } from '../../../../src/contract/presentation/limit-words.ts';
import { downWords } from './down.ts';
import type { ServiceRowView } from './rows.ts';

/** The groups of the list, in the order in which they call for attention. */
export const GROUPS = [
  'needs you',
  'needs platform',
  'unknown',
  'in progress',
  'running',
  'stopped',
] as const;
export type Group = (typeof GROUPS)[number];

const TITLES: Readonly<Record<Group, string>> = {
  'needs you': 'Needs you',
  'needs platform': 'Platform’s move',
  unknown: 'Unknown',
  'in progress': 'In progress',
  running: 'Running',
  stopped: 'Stopped',
};

/** The heading of a group. To somebody who may only read no move is theirs, as each row says. */
export const groupTitle = (group: Group, mayOnlyRead: boolean): string =>
  group === 'needs you' && mayOnlyRead ? 'Deployer’s move' : TITLES[group];

/** The rule by which a group is ordered, in words. */
export const GROUP_RULES: Readonly<Record<Group, string>> = {
  'needs you': 'Not serving first, then longest',
  'needs platform': 'Not serving first, then longest',
  unknown: 'By cause',
  'in progress': 'Least time left first',
  running: 'Latest deploy first',
  stopped: 'Latest first',
};

/**
 * The group of a service. A person who has to act comes first, whatever else is open: who that is says the claim, never its
 * state. What runs at a silent target is not known, however well its build is proven.
 */
export function groupOf({ claim, claimView, isTargetSilent }: ServiceRowView): Group {
  if (claimView.state === 'unknown') return 'unknown';
  if (claim.next.owner === 'user') return 'needs you';
  if (isTargetSilent) return 'unknown';
  switch (claimView.state) {
    case 'failed':
    case 'degraded':
      return 'needs platform';
    case 'running':
      return 'running';
    case 'stopped':
    case 'cancelled':
      return 'stopped';
    default:
      return 'in progress';
  }
}

/** Groups whose rows have room for the failing line of the log. */
export const isTrouble = (group: Group | null): boolean =>
  group === 'needs you' || group === 'needs platform';

/** A group with its services in order. */
interface Section {
  readonly group: Group;
  readonly rows: readonly ServiceRowView[];
}

/** All groups that have services, by attention. Pure. */
export function sectionsOf(rows: readonly ServiceRowView[]): readonly Section[] {
  const byGroup = new Map<Group, ServiceRowView[]>();
  for (const row of rows) {
    const group = groupOf(row);
    const found = byGroup.get(group);
    if (found === undefined) byGroup.set(group, [row]);
    else found.push(row);
  }
  return GROUPS.flatMap((group) => {
    const found = byGroup.get(group);
    return found === undefined ? [] : [{ group, rows: ordered(found, KEYS[group]) }];
  });
}

/** Keys of a row, compared one after the other; less comes first. */
type Keys = (row: ServiceRowView) => readonly (number | string)[];

/** The begin that the row shows: a silence that is over is no new one. */
const since = ({ claim, held }: ServiceRowView) => held?.since ?? Date.parse(claim.since);
/** When the wanted revision was requested; without its record, the begin of the state stands for it. */
const deployedAt = (row: ServiceRowView) => Date.parse(row.item.wanted?.createdAt ?? row.claim.since);

const trouble: Keys = (row) => [row.serving === null || row.isUpForNow ? 0 : 1, since(row)];

const KEYS: Readonly<Record<Group, Keys>> = {
  'needs you': trouble,
  'needs platform': trouble,
  // A silent target is one cause of many; it is said once, above its services.
  unknown: (row) =>
    row.isTargetSilent
      ? [0, row.target, since(row)]
      : row.claim.state === 'unknown'
        ? [2, row.claim.cause?.code ?? '', since(row)]
        : // A page without its server keeps what was in trouble in sight.
          [1, row.claim.state === 'failed' ? 0 : row.claim.state === 'degraded' ? 1 : 2, since(row)],
  'in progress': ({ claim }) => [Date.parse(stageEnd(claim.expecting) ?? '') || Number.POSITIVE_INFINITY],
  running: (row) => [-deployedAt(row)],
  stopped: (row) => [-since(row)],
};

function ordered(rows: readonly ServiceRowView[], keys: Keys): readonly ServiceRowView[] {
  return rows
    .map((row) => ({ row, keys: [...keys(row), row.ref] }))
    .sort((a, b) => compared(a.keys, b.keys))
    .map(({ row }) => row);
}

function compared(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  for (const [i, key] of a.entries()) {
    const other = b[i] ?? 0;
    if (key !== other) return key < other ? -1 : 1;
  }
  return 0;
}

/** Orders that somebody may choose instead; then there are no groups. */
export const SORTS = ['service', 'deployed', 'evidence'] as const;
export type Sort = (typeof SORTS)[number];

const SORT_KEYS: Readonly<Record<Sort, Keys>> = {
  service: () => [],
  deployed: (row) => [-deployedAt(row)],
  evidence: ({ claimView }) => [-(claimView.ageMs ?? -1)],
};

export function sortedBy(
  rows: readonly ServiceRowView[],
  sort: Sort,
  isReversed: boolean,
): readonly ServiceRowView[] {
  const sorted = ordered(rows, SORT_KEYS[sort]);
  return isReversed ? sorted.toReversed() : sorted;
}

/** One line of the list. */
export type ListLine =
  | {
      readonly kind: 'heading';
      readonly group: Group;
      readonly count: number;
      /** The services of the group that nobody can use, in words; empty where there is none. */
      readonly down: string;
    }
  | { readonly kind: 'silence'; readonly target: string; readonly count: number }
  | {
      readonly kind: 'service';
      readonly row: ServiceRowView;
      readonly group: Group;
      /** The place among the services, which keys walk through. */
      readonly index: number;
    };

/** The lines of the list: headings, silent targets, services. */
export function linesOf(sections: readonly Section[]): readonly ListLine[] {
  const lines: ListLine[] = [];
  let index = 0;
  for (const { group, rows } of sections) {
    lines.push({ kind: 'heading', group, count: rows.length, down: downWords(rows) });
    let told: string | null = null;
    for (const row of rows) {
      if (group === 'unknown' && row.isTargetSilent && row.target !== told) {
        told = row.target;
        const count = rows.filter(({ target, isTargetSilent }) => isTargetSilent && target === told).length;
        lines.push({ kind: 'silence', target: row.target, count });
      }
      lines.push({ kind: 'service', row, group, index: index++ });
    }
  }
  return lines;
}
