import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { claimSchema } from '../../src/contract/answers/claim.ts';
import { BODIES, SENT } from '../../src/contract/evidence.ts';
import { deadlinesSchema, specSchema } from '../../src/contract/intent.ts';
import { PROBLEM_CODES } from '../../src/contract/problem.ts';
import {
  containerSchema,
  instanceSchema,
  parseReport,
  serviceEntrySchema,
} from '../../src/contract/report.ts';
import { OWNERS, PHASES, REJECTIONS, RUNTIME_REASONS, TOKEN_ROLES } from '../../src/contract/vocabulary.ts';

/** docs/protocol.md is written by hand. The schemas that the server checks with say which names it must contain. */
const page = readFileSync('docs/protocol.md', 'utf8');
const words = new Set(page.match(/[\w.]+/g)?.map((word) => word.replace(/\.$/, '')));
const bodiesSent = SENT.flatMap((kind) => Object.keys(BODIES[kind].shape));

it.each([
  ['problem code', PROBLEM_CODES],
  ['role of a token', TOKEN_ROLES],
  ['kind that a component submits', SENT],
  ['field of such a kind', bodiesSent],
  ['reason for a rejection', REJECTIONS],
  ['phase of an instance', PHASES],
  ['reason of an instance', RUNTIME_REASONS],
  ['field of a spec', Object.keys(specSchema.shape)],
  ['owner of a transition', OWNERS],
  ['deadline', Object.keys(deadlinesSchema.shape)],
  ['field of a claim', Object.keys(claimSchema.shape)],
  ['field of an instance', Object.keys(instanceSchema.shape)],
  ['field of a container', Object.keys(containerSchema.shape)],
  ['field of a service in a report', Object.keys(serviceEntrySchema.shape)],
])('names every %s', (_, names) => {
  expect(names.filter((name) => !words.has(name))).toEqual([]);
});

it('names every path of the API under /v1', () => {
  const api = readFileSync('docs/api.md', 'utf8');
  const paths = [...api.matchAll(/^\| `[A-Z]+ (\/v1\/[^`]+)` \|/gm)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(30);
  // The page writes examples: any name may stand where the table has a placeholder.
  const isOnPage = (path: string) =>
    new RegExp(
      path
        .split('/')
        .map((part) => (part.startsWith('{') ? '[^/\\s`]+?' : part))
        .join('/')
        .replace('/attempts/', '\\[?/attempts/'),
    ).test(page);
  expect(paths.filter((path) => !isOnPage(path))).toEqual([]);
});

it('shows a claim with every field of one', () => {
  const example = /```json\n(\{\n {2}"service".*?\n\})\n```/s.exec(page)?.[1] ?? '';
  const claim: unknown = JSON.parse(example);
  expect(claimSchema.strict().parse(claim)).toEqual(claim);
  const missing = Object.keys(claimSchema.shape).filter((name) => !(name in (claim as object)));
  expect(missing, 'the example serves, and a claim that does has no proof of the contrary').toEqual([
    'nothingServes',
  ]);
  expect(page).toContain('| `nothingServes` |');
});

it('shows reports that the server accepts as described', () => {
  const full = /^(\{"epoch".*?\]\})\n200 /ms.exec(page)?.[1] ?? '';
  const report = JSON.parse(full.replaceAll('"startedAt": "…"', '"startedAt": null'));
  const taken = parseReport(report);
  expect(taken).toMatchObject({ ok: true, report: { kind: 'full' } });
  expect(instanceSchema.parse(report.instances[0])).toMatchObject({ uid: 'u1', phase: 'running' });
  expect(serviceEntrySchema.parse(report.services[0])).toMatchObject({ route: { answers: true } });
  for (const kind of ['change', 'heartbeat']) {
    const text = new RegExp(`^${kind}: +(\\{.*?\\})\\n(?=heartbeat:|\`\`\`)`, 'ms').exec(page)?.[1] ?? '';
    expect(parseReport(JSON.parse(text.replaceAll('[…]', '[]')))).toMatchObject({
      ok: true,
      report: { kind },
    });
  }
});
