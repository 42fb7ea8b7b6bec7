import { isUnbound } from '../../access/binding.ts';
import type { Caller } from '../../access/caller.ts';
import { audienceOf } from '../../access/roles.ts';
import type { Host } from '../../evidence/door/host.ts';
import { listServices, type ServiceFilter } from './services.ts';
import { SharedReads } from './shared-reads.ts';

type ListedServices = Awaited<ReturnType<typeof listServices>>;

/** Lists services for every front door of a server, so that an org never has two long lists at once (F125). */
export class ServiceLists {
  readonly #host: Host;
  readonly #long = new SharedReads();

  constructor(host: Host) {
    this.#host = host;
  }

  /** @param left aborts when the client does not wait any more */
  list(caller: Caller, filter: Omit<ServiceFilter, 'binding'>, left: AbortSignal): Promise<ListedServices> {
    const { org, target, service } = caller;
    const audience = audienceOf(caller);
    const bound = { ...filter, binding: { target, service } };
    // Every service is read where most of them may be left out: that can take long.
    const isShort = filter.states === undefined && filter.search === undefined && isUnbound(caller);
    if (isShort) return listServices(this.#host, org, audience, bound);
    const question = JSON.stringify([audience, bound]);
    return this.#long.read(
      org,
      question,
      (signal) => listServices(this.#host, org, audience, bound, signal),
      left,
    );
  }
}
