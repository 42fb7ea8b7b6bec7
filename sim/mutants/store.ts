import { type Mutant, sql } from './mutant.ts';

/** Mistakes in the stores. */
export const STORE_MUTANTS: readonly Mutant[] = [
  // The store in SQL
  sql('guard left out of an update', 'update-guards.value.arg1', '$property0.value'),
  sql('bound left out of a comparison', 'comparison-bounds.value.lte.value', "'<'"),
  sql('null compared by equality', 'null-comparison.then.operator.value', "'='"),
  sql('last row taken for the first', 'order-direction', '$else'),
  sql('limit forgotten', 'limit.object.callee.object.condition', 'true'),
  sql('statement kept under the shape of another', 'statement-shape', "''"),
  sql('appended rows lost at the commit', 'commit-flushes', ''),
  sql('positions compared as text', 'positions-sort.value', "'00' + $condition.left.object"),
];
