import type { ServiceAction } from '../../src/contract/actions.ts';
import type { Answer } from '../../src/contract/problem.ts';
import type { Host } from '../../src/evidence/door/host.ts';
import type { Acted } from '../../src/intent/acted.ts';
import { cancel } from '../../src/intent/cancel.ts';
import { restart, rollback, scale } from '../../src/intent/derive.ts';
import { retry } from '../../src/intent/retry.ts';
import { teardown } from '../../src/intent/teardown.ts';
import type { Store } from '../../src/store/port.ts';
import type { Platform } from './driver.ts';

class Undone extends Error {}

/** The same host, on which no transaction is committed: a verb answers, and nothing is written. */
function withoutCommit({ store, settings }: Platform['host']): Host {
  const dry: Pick<Store, 'read' | 'transact'> = {
    read: (work) => store.read(work),
    async transact(work) {
      let answer: Awaited<ReturnType<typeof work>> | undefined;
      await store
        .transact(async (tx) => {
          answer = await work(tx);
          throw new Undone();
        })
        .catch((error) => {
          if (!(error instanceof Undone)) throw error;
        });
      return answer as Awaited<ReturnType<typeof work>>;
    },
  };
  return { store: dry as Store, settings };
}

/** The answer of a verb that is called without options, and undone. */
export function dryRun(lab: Platform, action: ServiceAction, service: string): Promise<Answer<Acted>> {
  const host = withoutCommit(lab.host);
  const caller = lab.caller('ana', 'deployer');
  switch (action) {
    case 'retry':
      return retry(host, caller, service);
    case 'rollback':
      return rollback(host, caller, service, null);
    case 'restart':
      return restart(host, caller, service);
    case 'scale':
      return scale(host, caller, service, 2);
    case 'cancel':
      return cancel(host, caller, service);
    case 'teardown':
      return teardown(host, caller, service);
  }
}
