import { expect, it } from 'vitest';
import type { Report } from '../../contract/report.ts';
import type { Observed } from '../../projection/facts.ts';
import type { ItemsByService } from './items.ts';
import { observationOf } from './observation.ts';

const SCOPE = 'ns/shop';
const mark = { id: 'e9', position: '9', at: 1 };
const seen = (instances: readonly object[]) =>
  ({
    workload: { workload: {}, scope: SCOPE, version: 1, evidence: 'e1', scopeVersion: 1 },
    parts: [{ scope: SCOPE, entry: null, instances, mark, completeMark: mark, corrupt: false }],
  }) as unknown as Observed;

it('counts an absence under the rule that proved it, and under the new one while instances were left', () => {
  const report = { scope: SCOPE, kind: 'full', complete: true, observation: 2 } as unknown as Report;
  const items: ItemsByService = {
    ...{ instances: new Map(), entries: new Map(), owners: new Map() },
    ...{ removedInstances: new Set<string>(), removedEntries: new Set<string>() },
    corrupt: { all: false, services: new Set<string>() },
  } as unknown as ItemsByService;
  const versionWith = (observed: Observed) =>
    observationOf(
      { report, items, scope: { asOf: 1, completeAt: 1 }, rule: null },
      { service: 's', createdAt: 0, observed },
    ).observation;
  expect(versionWith(seen([]))).toBe(1);
  expect(versionWith(seen([{ uid: 'p1' }]))).toBe(2);
});
