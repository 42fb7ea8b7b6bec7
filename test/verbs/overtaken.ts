import type { Tx } from '../../src/store/port.ts';
import type { Table } from '../../src/store/schema.ts';
import { Platform } from './driver.ts';

/**
 * A lab's platform as a server has it that is stopped in the midst of a transaction, once, before the first statement
 * that `stops` says. Others overtake it there, and wait for what it has locked.
 */
export function overtaken(lab: Platform, stops: (statement: string, table: Table | undefined) => boolean) {
  const stop = gate();
  const start = gate();
  let hasStopped = false;
  const watched = (tx: Tx) =>
    new Proxy(tx, {
      get: (_, name: keyof Tx) => {
        const statement = (tx[name] as (...given: unknown[]) => Promise<unknown>).bind(tx);
        return async (...given: unknown[]) => {
          if (!hasStopped && stops(name, given[0] as Table | undefined)) {
            hasStopped = true;
            stop.open();
            await start.opened;
          }
          return statement(...given);
        };
      },
    });
  const store = {
    read: lab.store.read.bind(lab.store),
    transact: <T>(work: (tx: Tx) => Promise<T>) => lab.store.transact((tx) => work(watched(tx))),
  };
  return { server: new Platform(store, lab.clock), stopped: stop.opened, goOn: start.open };
}

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
