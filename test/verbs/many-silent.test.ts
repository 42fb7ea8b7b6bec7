import { expect, it } from 'vitest';
import type { Claim } from '../../src/contract/claim.ts';
import type { Host } from '../../src/evidence/door/host.ts';
import { RecentCommits } from '../../src/evidence/door/recent-commits.ts';
import { Hints } from '../../src/server/hints.ts';
import { OrgFeed } from '../../src/server/streams/org-feed.ts';
import { instance } from './agent.ts';
import { newLab, ORG } from './driver.ts';

const SERVICES = 2_100;

/** A target with many observed services that run, and whose agent falls silent. */
async function silent() {
  const lab = newLab();
  const refs = Array.from({ length: SERVICES }, (_, i) => `s${String(i).padStart(4, '0')}@lab`);
  for (const service of refs) await lab.deploy({ kind: 'observe' }, {}, { service });
  const agent = await lab.agent().register();
  const all = refs.map((service) => instance(service, { service, template: 'f00d' }));
  await agent.sees(all);
  await lab.tick(3_000);
  await agent.heartbeat();
  const known = () => lab.rows('transitions').filter(({ to }) => to === 'unknown').length;
  // The platform stays awake: a sweep after a longer pause first records that it was blind.
  await lab.tick(14_000);
  return { lab, agent, all, refs, known };
}

it('a sweep returns when the next scope falls silent', async () => {
  const lab = newLab();
  await (await lab.agent().register()).sees([]);
  lab.sleep(14_400);
  expect(await lab.sweep()).toEqual({ nextMs: 600 });
  lab.sleep(600);
  expect(await lab.sweep()).toEqual({ nextMs: null });
});

it('many services that fall silent are recorded in several transactions, each of them once (S2)', async () => {
  const { lab, known } = await silent();
  const [before, head] = [known(), Number(lab.rows('heads')[0]?.position)];
  lab.sleep(1_000);
  const transact = lab.store.transact.bind(lab.store);
  const grown: number[] = [];
  lab.store.transact = async (work) => {
    const result = await transact(work);
    grown.push(known() - before);
    return result;
  };
  await lab.sweep();
  const steps = [...new Set(grown.filter((count) => count > 0))];
  expect(steps.at(-1)).toBe(SERVICES);
  expect(steps.length).toBeGreaterThan(2);
  const recorded = lab.rows('transitions').filter(({ position }) => Number(position) > head);
  expect(new Set(recorded.map(({ service }) => service)).size).toBe(SERVICES);
  expect(recorded).toHaveLength(SERVICES);
  expect(lab.rows('scopes')).toMatchObject([{ swept: true, silenced: true }]);
});

it('a report between two of these transactions ends the sweep, and no service stays unknown', async () => {
  const { lab, agent, all, known } = await silent();
  lab.sleep(1_000);
  const transact = lab.store.transact.bind(lab.store);
  const before = known();
  let isBack = false;
  lab.store.transact = async (work) => {
    const result = await transact(work);
    if (known() > before && !isBack) {
      isBack = true;
      await agent.sees(all);
    }
    return result;
  };
  await lab.sweep();
  expect(isBack).toBe(true);
  await lab.sweep();
  const last = new Map(lab.rows('transitions').map(({ service, to }) => [service, to]));
  expect(last.size).toBe(SERVICES);
  expect([...last.values()]).not.toContain('unknown');
});

it('a feed reads the services of a page together, however many have changed (S2)', async () => {
  const { lab, refs } = await silent();
  const feed = new OrgFeed(lab.host, ORG, new Hints(), (error) => expect.fail(String(error)));
  const sent: string[] = [];
  await feed.join({
    service: null,
    binding: { target: '*', service: '*' },
    audience: 'operator',
    send: (event) => {
      if (event.event === 'transition') sent.push(`${event.data.service} ${event.data.claim?.state}`);
    },
  });
  lab.sleep(1_000);
  await lab.sweep();
  const read: typeof lab.store.read = lab.store.read.bind(lab.store);
  let reads = 0;
  lab.store.read = (work) => {
    reads += 1;
    return read(work);
  };
  await feed.read();
  feed.stop();
  expect(sent).toEqual(refs.map((service) => `${service} unknown`));
  expect(reads).toBeLessThan(SERVICES / 50);
});

it('a feed sends what a commit of its own process has left as it would read it, without reading it (S2)', async () => {
  const { lab, refs } = await silent();
  Object.assign(lab.host, { recent: new RecentCommits() });
  const claims = async (host: Host) => {
    const sent: (Claim | null)[] = [];
    const feed = new OrgFeed(host, ORG, new Hints(), (error) => expect.fail(String(error)));
    await feed.join({
      ...{ service: null, binding: { target: '*', service: '*' }, audience: 'operator' },
      send: (event) => event.event === 'transition' && sent.push(event.data.claim),
    });
    return { feed, sent };
  };
  const { store, settings } = lab.host;
  const [keeps, reads] = [await claims(lab.host), await claims({ store, settings })];
  lab.sleep(1_000);
  await lab.sweep();
  await reads.feed.read();
  const tables = tablesRead(lab);
  await keeps.feed.read();
  for (const { feed } of [keeps, reads]) feed.stop();
  const lasting = (claim: Claim | null) => ({ ...claim, position: '' });
  // A thousand are kept for a reader that is behind, all of these.
  expect(keeps.sent.map(lasting)).toEqual(reads.sent.map(lasting));
  expect(keeps.sent.map((claim) => claim?.service)).toEqual(refs);
  for (const table of ['services', 'transitions']) expect([...tables]).not.toContain(table);
});

it('a feed that is behind sends the earlier transitions of a service without reading their past (S2)', async () => {
  const { lab, agent, all, refs } = await silent();
  Object.assign(lab.host, { recent: new RecentCommits() });
  const sent: string[] = [];
  const feed = new OrgFeed(lab.host, ORG, new Hints(), (error) => expect.fail(String(error)));
  await feed.join({
    ...{ service: null, binding: { target: '*', service: '*' }, audience: 'operator' },
    send: (event) => event.event === 'transition' && sent.push(event.data.claim?.state ?? 'none'),
  });
  lab.sleep(1_000);
  await lab.sweep();
  await agent.sees(all);
  await lab.tick(14_000);
  lab.sleep(1_000);
  await lab.sweep();
  const tables = tablesRead(lab);
  await feed.read();
  feed.stop();
  const each = (state: string) => refs.map(() => state);
  expect(sent).toEqual([...each('unknown'), ...each('starting'), ...each('unknown')]);
  for (const table of ['services', 'transitions', 'checkpoints']) expect([...tables]).not.toContain(table);
});

/** The tables that are read from now on. */
function tablesRead(lab: Awaited<ReturnType<typeof silent>>['lab']): ReadonlySet<string> {
  const read: typeof lab.store.read = lab.store.read.bind(lab.store);
  const tables = new Set<string>();
  lab.store.read = (work) =>
    read((tx) =>
      work({
        ...tx,
        now: () => tx.now(),
        get: (table, key) => tx.get(tables.add(table) && table, key),
        select: (table, where, options) => tx.select(tables.add(table) && table, where, options),
        readAll: (asked) => {
          for (const each of asked) if (each !== 'now') tables.add(each.table);
          return tx.readAll(asked);
        },
      }),
    );
  return tables;
}
