import { expect, it } from 'vitest';
import type { CommitNotice, Host } from '../../src/evidence/door/host.ts';
import { Sharing } from '../../src/evidence/door/sharing.ts';
import { heartbeat } from '../../src/ownership/heartbeat.ts';
import { publish } from '../../src/ownership/publish.ts';
import { release } from '../../src/ownership/release.ts';
import type { Store } from '../../src/store/port.ts';
import { newLab, ORG, SOURCE, WEB } from './driver.ts';

const PUBLISHER = { name: 'publisher', instance: 'p1' };
const build = (service: string) => `${service}.r1.a1.build.1`;

/** A lab that collects the notices of its commits, and counts the transactions. */
function notifiedLab() {
  const lab = newLab();
  const notices: CommitNotice[] = [];
  const watched = { transactions: 0 };
  const store: Store = {
    read: (work) => lab.store.read(work),
    transact: (work) => {
      watched.transactions += 1;
      return lab.store.transact(work);
    },
  };
  const host: Host = {
    store,
    settings: lab.host.settings,
    sharing: new Sharing(),
    onCommit: (news) => notices.push(news),
  };
  return { lab, host, notices, watched };
}

it('a commit notifies of what it published, and a calm heartbeat of nothing', async () => {
  const { lab, host, notices } = notifiedLab();
  await lab.deploy(SOURCE);
  await publish(host, PUBLISHER, ORG);
  expect(notices).toEqual([{ org: ORG, moved: true, recorded: [], published: [build(WEB)], alarms: [] }]);

  const held = await lab.builder().offer();
  const { offer: lease } = held;
  const { caller } = held.taker;
  notices.length = 0;
  await heartbeat(host, caller, lease.id, lease.fence);
  expect(notices).toEqual([{ org: ORG, moved: true, recorded: [], published: [], alarms: [] }]);
  notices.length = 0;
  await heartbeat(host, caller, lease.id, lease.fence);
  expect(notices).toEqual([]);
  await release(host, caller, lease.id, lease.fence, 'going home');
  expect(notices).toEqual([{ org: ORG, moved: true, recorded: [], published: [build(WEB)], alarms: [] }]);
});

it('the publisher publishes all waiting commands in one transaction, and one that cannot be published fails alone (F28)', async () => {
  const { lab, host, notices, watched } = notifiedLab();
  const services = ['api@lab', 'bad@lab', 'db@lab', 'web@lab'];
  for (const service of services) await lab.deploy(SOURCE, {}, { service });
  const good = services.filter((service) => service !== 'bad@lab');
  const { transact } = host.store;
  const store: Store = {
    ...host.store,
    transact: (work) =>
      transact((tx) =>
        work(
          new Proxy(tx, {
            get: (of, name) => {
              const method = Reflect.get(of, name);
              if (name !== 'append') return typeof method === 'function' ? method.bind(of) : method;
              return (table: string, row: { service?: string }) => {
                if (table === 'ledger' && row.service === 'bad@lab') throw new Error('a defect');
                return method.call(of, table, row);
              };
            },
          }),
        ),
      ),
  };
  await expect(publish({ ...host, store }, PUBLISHER, ORG)).rejects.toThrow('a defect');
  const published = notices.flatMap((news) => news.published);
  expect(published.toSorted()).toEqual(good.map(build));

  watched.transactions = 0;
  await lab.deploy(SOURCE, {}, { service: 'one@lab' });
  await lab.deploy(SOURCE, {}, { service: 'two@lab' });
  expect(await publish(host, PUBLISHER, ORG)).toBe(3);
  expect(watched.transactions).toBe(1);
});
