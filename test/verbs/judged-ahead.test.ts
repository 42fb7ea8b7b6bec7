import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { OpenFiles } from '../../src/evidence/door/open-files.ts';
import { RecentCommits } from '../../src/evidence/door/recent-commits.ts';
import { RowsAhead } from '../../src/evidence/door/rows-ahead.ts';
import { readAhead } from '../../src/repair/read-ahead.ts';
import { Hints } from '../../src/server/hints.ts';
import { OrgFeed } from '../../src/server/streams/org-feed.ts';
import { instance } from './agent.ts';
import { type Lab, newLab, ORG, WEB } from './driver.ts';
import { live, lives, type Step } from './random-life.ts';

/** A platform that reads and judges ahead after each sweep; without `ahead` one that does neither. */
function platform(isAhead: boolean): Lab {
  const lab = newLab();
  if (!isAhead) return lab;
  Object.assign(lab.host, { ahead: new RowsAhead() });
  const { sweep } = lab;
  lab.sweep = async (name) => {
    const swept = await sweep(name);
    await readAhead(lab.host, ORG);
    return swept;
  };
  return lab;
}

/** Counts the services that are recorded as they were judged ahead. */
function counted() {
  const record = vi.spyOn(OpenFiles.prototype, 'record');
  return async () => {
    const answers = await Promise.all(record.mock.results.map(({ value }) => value as Promise<boolean>));
    record.mockRestore();
    return answers.filter((isRecorded) => isRecorded).length;
  };
}

/** A service in observe mode that runs, settled as most are, until its agent falls silent. */
const RUNS: readonly Step[] = [
  ['deploy', 5, 0, 1],
  ['steady', 1, 1, 1],
  ['steady', 1, 1, 1],
  ['awake', 9, 0, 0],
];

const tablesOf = (lab: Lab) => structuredClone(lab.store.tables);

it('whatever happens, what was judged ahead is what is judged at the instant (S2, S9)', async () => {
  const recorded = counted();
  await fc.assert(
    fc.asyncProperty(lives(40), async (steps) => {
      const [ahead, plain] = [platform(true), platform(false)];
      for (const lab of [ahead, plain]) {
        await live(lab, [['register', 0, 0, 0], ...RUNS, ...steps, ...RUNS]);
        await lab.tick(1_300);
      }
      expect(tablesOf(ahead)).toEqual(tablesOf(plain));
    }),
    { numRuns: 15 },
  );
  expect(await recorded()).toBeGreaterThan(10);
});

/** A service that runs in one of two scopes; both were last heard 14.5 s ago. */
async function ofTwoScopes(isAhead: boolean) {
  const lab = platform(isAhead);
  await lab.deploy({ kind: 'observe' });
  const agent = await lab.agent().register();
  const full = async () => {
    const template = 'f00d';
    await agent.sees([instance('a', { template })], [{ service: WEB, template, replicas: 1 }], {
      scope: 'east',
    });
    await agent.sees([], [], { scope: 'west' });
  };
  await full();
  await lab.tick(5_000);
  await full();
  await lab.tick(14_500);
  return { lab, westIsCalm: () => agent.heartbeat({ scope: 'west' }) };
}

it.each([
  ['nothing', true, async () => {}],
  ['a report without news of another scope', false, async ({ westIsCalm }) => void (await westIsCalm())],
] as const satisfies readonly (readonly [
  string,
  boolean,
  (of: Awaited<ReturnType<typeof ofTwoScopes>>) => Promise<void>,
])[])('%s arrives after the judgement: used is %s', async (_, isUsed, arrives) => {
  const recorded = counted();
  const [ahead, plain] = [await ofTwoScopes(true), await ofTwoScopes(false)];
  for (const each of [ahead, plain]) {
    await arrives(each);
    each.lab.sleep(600);
    await each.lab.sweep();
  }
  expect((await plain.lab.transitions(WEB)).at(-1)).toMatchObject({ to: 'unknown', owner: 'clock' });
  expect(tablesOf(ahead.lab)).toEqual(tablesOf(plain.lab));
  expect((await recorded()) > 0).toBe(isUsed);
});

it.each(['user', 'operator'] as const)(
  'a viewer with the rights of a %s is told what it would be told (S12)',
  async (audience) => {
    const told = async (isAhead: boolean) => {
      const lab = platform(isAhead);
      Object.assign(lab.host, { recent: new RecentCommits() });
      const sent: { readonly data: object; readonly json: string | undefined }[] = [];
      const feed = new OrgFeed(lab.host, ORG, new Hints(), (error) => expect.fail(String(error)));
      await live(lab, [['register', 0, 0, 0], ...RUNS.slice(0, -1)]);
      await feed.read();
      await feed.join({
        ...{ service: null, binding: { target: '*', service: '*' }, audience },
        send: (event) => event.event === 'transition' && sent.push({ data: event.data, json: event.json }),
      });
      await lab.tick(15_000);
      await feed.read();
      feed.stop();
      return sent;
    };
    const [ahead, plain] = [await told(true), await told(false)];
    expect(plain.length).toBeGreaterThan(0);
    expect(ahead.map(({ data }) => data)).toEqual(plain.map(({ data }) => data));
    const texts = ahead.flatMap(({ json }) => json ?? []);
    expect(texts.length).toBeGreaterThan(0);
    expect(texts).toEqual(plain.slice(-texts.length).map(({ data }) => JSON.stringify(data)));
  },
);

it('nothing of it is on record before the instant (S1)', async () => {
  const { lab } = await ofTwoScopes(true);
  const before = tablesOf(lab);
  lab.sleep(499);
  await lab.sweep();
  expect((await lab.claim()).state).not.toBe('unknown');
  expect(tablesOf(lab)).toEqual({ ...before, beats: lab.store.tables.beats });
});
