import { packTar } from 'modern-tar';
import { IMAGE, type Served } from './served.ts';
import { Wire } from './wire.ts';

export interface HttpLease {
  readonly id: string;
  readonly command: string;
  readonly service: string;
  readonly revision: number;
  readonly attempt: number;
  readonly fence: string;
}

interface EvidenceAnswer {
  readonly results: readonly { readonly verdict: string; readonly reason?: string }[];
  readonly leases?: readonly HttpLease[];
}

/** Options of a server whose request limit and lease time cut no measurement short. */
export const UNHURRIED = ['--max-requests-per-second', '1000000', '--lease-ttl', '3600000'];

/** A builder or an agent that speaks the protocol over connections that it keeps, as many as it has calls under way. */
export class HttpWorker {
  readonly #served: Served;
  readonly #wire: Wire;
  #made = 0;

  private constructor(served: Served, token: string) {
    this.#served = served;
    this.#wire = new Wire(served.address, token);
  }

  static async of(served: Served, role: 'builder' | 'agent'): Promise<HttpWorker> {
    return new HttpWorker(served, await served.tokenFor(role));
  }

  close(): void {
    this.#wire.close();
  }

  /** Builds that are under way, each under its lease. */
  async leasedBuilds(count: number): Promise<HttpLease[]> {
    const header = { name: 'index.html', size: 5, mtime: new Date(0) };
    const tar = (await packTar([{ header, body: 'hello' }])) as Uint8Array<ArrayBuffer>;
    const leases: HttpLease[] = [];
    for (let i = 0; i < count; i++) {
      const form = new FormData();
      form.set('source', new Blob([tar]), 'source.tar');
      await this.#served.upload(`/v1/services/app-${i}@lab/deployments`, form);
      const lease = await this.take({ kinds: ['build'] }, `b-${i}`, 20_000);
      if (lease === null) throw new Error('a build was not offered');
      leases.push(lease);
    }
    return leases;
  }

  /** Commands that wait at a target for its agent. */
  async waitingApplies(target: string, count: number): Promise<void> {
    let next = 0;
    const some = async () => {
      for (let n = next++; n < count; n = next++)
        await this.#served.call('POST', `/v1/services/s${n}@${target}/deployments`, { image: IMAGE });
    };
    await Promise.all(Array.from({ length: 10 }, some));
    // All of them published: who finds nothing stops, and the rest would be measured with fewer hands.
    for (;;) {
      const { items } = await this.#served.call('GET', '/v1/commands');
      const own = (items as { service: string; state: string }[]).filter((c) =>
        c.service.endsWith(`@${target}`),
      );
      if (own.every(({ state }) => state === 'published')) return;
    }
  }

  /** Asks for work and acknowledges it; null when nothing came. */
  async take(what: object, instance: string, waitMs: number): Promise<HttpLease | null> {
    const answer = await this.#post('/v1/leases', { ...what, worker: instance, instance, waitMs });
    if (answer === null) return null;
    const { lease } = answer as { lease: HttpLease };
    await this.#post(`/v1/leases/${lease.id}/heartbeat`, { fence: lease.fence });
    return lease;
  }

  /** Asks for several commands at once. */
  async takeSeveral(what: object, instance: string, max: number): Promise<readonly HttpLease[]> {
    const answer = await this.#post('/v1/leases', { ...what, worker: instance, instance, max, waitMs: 0 });
    return answer === null ? [] : (answer as { leases: readonly HttpLease[] }).leases;
  }

  /** Sends one heartbeat for all of these leases, which acknowledges them. */
  async heartbeatAll(leases: readonly HttpLease[]): Promise<void> {
    const beats = leases.map(({ id, fence }) => ({ id, fence }));
    const answer = (await this.#post('/v1/leases/heartbeats', { beats })) as { beats: { code?: string }[] };
    const lost = answer.beats.find(({ code }) => code !== undefined);
    if (lost) throw new Error(`a lease of the benchmark was lost: ${lost.code}`);
  }

  /** Sends items that must all be admitted. */
  async send(leases: readonly HttpLease[], kind: string, body: (n: number) => object): Promise<number> {
    return (await this.#sendItems(leases, kind, body)).results.length;
  }

  /** The same, and takes what the answer offers next. */
  async sendAndTake(
    leases: readonly HttpLease[],
    kind: string,
    next: { readonly what: object; readonly instance: string; readonly max: number },
  ): Promise<readonly HttpLease[]> {
    const { what, instance, max } = next;
    const asked = { next: { ...what, worker: instance, instance, max } };
    return (await this.#sendItems(leases, kind, () => ({}), asked)).leases ?? [];
  }

  async #sendItems(
    leases: readonly HttpLease[],
    kind: string,
    body: (n: number) => object,
    more: object = {},
  ): Promise<EvidenceAnswer> {
    const items = leases.map(({ service, revision, attempt, command, fence }) => {
      const n = ++this.#made;
      return { id: `h-${n}`, kind, service, revision, attempt, command, fence, body: body(n) };
    });
    const answer = (await this.#post('/v1/evidence', { items, ...more })) as EvidenceAnswer;
    const refused = answer.results.find(({ verdict }) => verdict !== 'admitted');
    if (refused) throw new Error(`the benchmark's evidence was refused: ${refused.reason}`);
    return answer;
  }

  async #post(path: string, body: object): Promise<unknown> {
    const { status, text } = await this.#wire.post(path, JSON.stringify(body));
    if (status >= 300) throw new Error(`POST ${path}: ${status} ${text}`);
    return status === 204 ? null : JSON.parse(text);
  }
}
