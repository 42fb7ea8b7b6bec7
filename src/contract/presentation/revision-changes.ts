import type { FieldChangeView, RevisionView } from '../answers/views.ts';
import { fieldName, fromText, isSecret, valueText } from './changes.ts';
import { shortArtifact } from './summary.ts';
import { imagesOf } from './workload.ts';

type WhatRuns = Pick<RevisionView, 'git' | 'artifact'>;

/** The commit and the artifact are no fields of the spec, and differ all the same. */
export function madeOf(base: WhatRuns | undefined, one: WhatRuns): FieldChangeView[] {
  if (base === undefined) return [];
  const commit = ({ git }: WhatRuns) =>
    git === null ? null : `${git.sha.slice(0, 7)} ${git.message?.split('\n')[0] ?? ''}`.trim();
  const artifact = ({ artifact: name }: WhatRuns) => (name === null ? null : shortArtifact(name));
  return [
    ...differing('commit', commit(base), commit(one)),
    ...differing('artifact', artifact(base), artifact(one)),
  ];
}

const differing = (field: string, from: string | null, to: string | null): FieldChangeView[] =>
  from === to
    ? []
    : [{ field, kind: from === null ? 'added' : to === null ? 'removed' : 'changed', from, to }];

/** What a revision of a list changes, and how many fields more. */
interface ListedChanges {
  readonly changes: readonly FieldChangeView[];
  readonly more: number;
}

/**
 * What a revision of a list changes against the one that configured its service before, variables that a log names first.
 * Null: nothing configured it before, or the list does not say. Another commit almost always means another artifact, which is
 * then not named. Pure.
 */
export function listedChanges(
  one: RevisionView,
  all: readonly RevisionView[],
  named: ReadonlySet<string>,
): ListedChanges | null {
  // A tear-down keeps no configuration of which something could be told.
  if (one.changed == null || one.kind === 'teardown') return null;
  const { against, fields, more } = one.changed;
  const base = all.find(({ revision }) => revision === against);
  const [made] = madeOf(base, one);
  const isNamed = ({ field }: FieldChangeView) => named.has(fieldName(field));
  const changes = [
    ...fields.filter(isNamed),
    ...fields.filter((change) => !isNamed(change)),
    ...(made === undefined ? [] : [made]),
    ...imagesBetween(base, one),
  ];
  return { changes, more };
}

function imagesBetween(base: RevisionView | undefined, { provenance }: RevisionView): FieldChangeView[] {
  if (base?.provenance == null || provenance === null) return [];
  return differing('image', imagesOf(base.provenance.images), imagesOf(provenance.images));
}

/** A value that fits a few words in a row. */
const SHORT = 14;

/**
 * A change by the name of its field, with both values where they are short and no secret: `copies 2 → 3`, `LOG_LEVEL info →
 * debug`, `DATABASE_URL`. A commit is named beside it anyway.
 */
export function shortChange(change: FieldChangeView): string {
  const { field, kind, from, to } = change;
  const name = fieldName(field);
  const isCounted = field === 'replicas';
  if ((kind !== 'changed' && !isCounted) || field === 'commit' || isSecret(from) || isSecret(to)) return name;
  // A long value is left out of a list.
  if (!isCounted && (from === undefined || to === undefined)) return name;
  const [before, after] = [fromText(change), valueText(to, field)];
  return before.length > SHORT || after.length > SHORT || before === after
    ? name
    : `${name} ${before} → ${after}`;
}
