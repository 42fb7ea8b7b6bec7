import type { Caller } from '../../src/access/caller.ts';
import type { ItemResult } from '../../src/contract/evidence.ts';
import type { CommandKind, Kind } from '../../src/contract/vocabulary.ts';
import { submit } from '../../src/evidence/submit/submit.ts';
import { acquire } from '../../src/ownership/acquire.ts';
import { heartbeat } from '../../src/ownership/heartbeat.ts';
import type { Offer } from '../../src/ownership/offer.ts';
import { release } from '../../src/ownership/release.ts';
import type { Platform } from './driver.ts';
import { DIGEST, granted } from './names.ts';

/** A party that acquires leases: a builder, or an agent. */
export class Taker {
  readonly lab: Platform;
  readonly caller: Caller;
  readonly kinds: readonly CommandKind[];
  instance: string;
  readonly target: string | undefined;

  constructor(
    lab: Platform,
    caller: Caller,
    kinds: readonly CommandKind[],
    instance: string,
    target: string | undefined,
  ) {
    this.lab = lab;
    this.caller = caller;
    this.kinds = kinds;
    this.instance = instance;
    this.target = target;
  }

  /** Calls for work once; null when nothing waits. */
  async acquire(): Promise<Lease | null> {
    const request = { kinds: this.kinds, worker: this.caller.name, instance: this.instance };
    const target = this.target === undefined ? {} : { target: this.target };
    const answer = granted(await acquire(this.lab.host, this.caller, { ...request, ...target }));
    const [offer] = answer.offers;
    return offer === undefined ? null : new Lease(this, offer);
  }

  /** Calls for several commands at once. */
  async acquireUpTo(max: number): Promise<readonly Lease[]> {
    const request = { kinds: this.kinds, worker: this.caller.name, instance: this.instance, max };
    const target = this.target === undefined ? {} : { target: this.target };
    const answer = granted(await acquire(this.lab.host, this.caller, { ...request, ...target }));
    return answer.offers.map((offer) => new Lease(this, offer));
  }

  async offer(): Promise<Lease> {
    const lease = await this.acquire();
    if (lease === null) throw new Error(`nothing was offered to ${this.caller.name}`);
    return lease;
  }

  /** Acquires a lease, and acknowledges it. */
  async take(): Promise<Lease> {
    const lease = await this.offer();
    await lease.heartbeat();
    return lease;
  }

  submit = (...items: object[]): Promise<ItemResult[]> => submit(this.lab.host, this.caller, items);
}

/** An offer or a lease, with the calls of its holder. */
export class Lease {
  readonly taker: Taker;
  readonly offer: Offer;

  constructor(taker: Taker, offer: Offer) {
    this.taker = taker;
    this.offer = offer;
  }

  item(kind: Kind, body: object, changed: object = {}) {
    const { service, revision, attempt, command, fence } = this.offer;
    return {
      id: this.taker.lab.id(kind),
      kind,
      service,
      revision,
      attempt,
      command,
      fence,
      body,
      ...changed,
    };
  }

  async send(kind: Kind, body: object = {}, changed: object = {}): Promise<ItemResult> {
    const [result] = await this.taker.submit(this.item(kind, body, changed));
    if (result === undefined) throw new Error('no verdict');
    return result;
  }

  heartbeat = async () =>
    granted(await heartbeat(this.taker.lab.host, this.taker.caller, this.offer.id, this.offer.fence));
  release = async () =>
    granted(await release(this.taker.lab.host, this.taker.caller, this.offer.id, this.offer.fence, 'busy'));
  progress = (step: number) => this.send('build.progress', { step, message: '' });
  async stored(digest = DIGEST, plan?: object) {
    await this.taker.lab.holds(digest);
    return this.send('artifact.stored', { digest, size: 1, ...(plan ? { plan } : {}) });
  }
  fails = (code = 'build_failed', more: object = {}) =>
    this.send('build.failed', { code, message: '', ...more });
  applied = (artifact?: string) => this.send('runtime.applied', artifact ? { artifact } : {});
  applyFails = (code = 'apply_failed', retrySafe = true) =>
    this.send('runtime.apply_failed', { code, message: '', retrySafe });
  removed = () => this.send('runtime.removed');
}
