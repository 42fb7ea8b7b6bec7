import type { Tx } from '../../src/store/port.ts';
import type { Table } from '../../src/store/schema.ts';
import { Platform } from './driver.ts';

/**
 * A platform on the lab's store that stops once in the middle of a transaction, before the first statement for
 * which `stops` holds. Others overtake it there, and wait for the rows it has locked.
 */
export function overtaken(lab: Platform, stops: (statement: string, table: Table | undefined) => boolean) {
  const stop = gate();
  const start = gate();
  let hasStopped = false;
  const watched = (tx: Tx) =>
    new Proxy(tx, {
      get: (_, name: keyof Tx) => {
        const statement = (tx[name] as (...args: unknown[]) => Promise<unknown>).bind(tx);
        return async (...args: unknown[]) => {
          if (!hasStopped && stops(name, args[0] as Table | undefined)) {
            hasStopped = true;
            stop.open();
            await start.opened;
          }
          return statement(...args);
        };
      },
    });
  const store = {
    read: lab.store.read.bind(lab.store),
    transact: <T>(work: (tx: Tx) => Promise<T>) => lab.store.transact((tx) => work(watched(tx))),
  };
  return { server: new Platform(store, lab.clock), stopped: stop.opened, resume: start.open };
}

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
