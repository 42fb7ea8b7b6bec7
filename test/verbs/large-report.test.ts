import { expect, it } from 'vitest';
import type { Host } from '../../src/evidence/door/host.ts';
import { report } from '../../src/evidence/report/report.ts';
import type { Store } from '../../src/store/port.ts';
import { instance } from './agent.ts';
import { type Lab, newLab } from './driver.ts';

const SERVICES = 30;
const EACH = 100;

/** A lab whose target has services of a hundred instances, and whose transactions are watched. */
async function stage(lab: Lab) {
  const refs = Array.from({ length: SERVICES }, (_, i) => `s${i}@lab`);
  for (const service of refs) await lab.deploy({ kind: 'observe' }, { replicas: EACH }, { service });
  const agent = await lab.agent().register();
  const watched = { transactions: 0, turns: 0, rowsAtOnce: 0, open: 0, waitedInside: 0 };
  const store: Store = {
    read: (work) => lab.store.read(work),
    transact: (work) => {
      watched.transactions += 1;
      return lab.store.transact(async (tx) => {
        watched.open += 1;
        const result = await work(
          new Proxy(tx, {
            get: (of, name) => {
              const method = Reflect.get(of, name);
              if (name !== 'select') return typeof method === 'function' ? method.bind(of) : method;
              return async (...args: unknown[]) => {
                const rows = await method.apply(of, args);
                if (args[0] === 'services') watched.rowsAtOnce = Math.max(watched.rowsAtOnce, rows.length);
                return rows;
              };
            },
          }),
        );
        watched.open -= 1;
        return result;
      });
    },
  };
  const yieldIfDue = () => {
    watched.turns += 1;
    watched.waitedInside += watched.open;
    return undefined;
  };
  const host: Host = { store, settings: lab.host.settings, yieldIfDue };
  let seq = 0;
  const send = (restarts: number) => {
    const instances = refs.flatMap((service) =>
      Array.from({ length: EACH }, (_, i) =>
        instance(`${service}-${i}`, { service, template: 'f00d', restarts }),
      ),
    );
    seq += 1;
    const body = {
      epoch: agent.epoch,
      seq: String(seq),
      complete: true,
      scope: '*',
      instances,
      services: [],
    };
    return report(host, agent.caller, 'lab', body);
  };
  return { watched, send };
}

it('a large report yields the event loop at each service, reads few at a time, and is one transaction all the same (F80)', async () => {
  const lab = newLab();
  const { watched, send } = await stage(lab);
  for (const restarts of [0, 1]) {
    Object.assign(watched, { transactions: 0, turns: 0, rowsAtOnce: 0, waitedInside: 0 });
    const before = lab.count('ledger');
    expect(await send(restarts)).toMatchObject({ ok: true, resync: false, rejected: [] });
    // The transaction that finds the report not calm writes nothing.
    expect(watched.transactions).toBe(2);
    expect(watched.waitedInside).toBeGreaterThanOrEqual(2 * SERVICES);
    expect(watched.rowsAtOnce).toBe(1_000 / EACH);
    expect(lab.count('ledger') - before).toBeGreaterThanOrEqual(SERVICES);
  }
});
