import type { Caller } from '../src/access/caller.ts';
import type { Origin } from '../src/contract/intent.ts';
import type { Answer } from '../src/contract/problem.ts';
import type { TokenRole } from '../src/contract/vocabulary.ts';
import type { Host } from '../src/evidence/door/host.ts';
import { register } from '../src/evidence/report/register.ts';
import { report } from '../src/evidence/report/report.ts';
import { submit } from '../src/evidence/submit/submit.ts';
import { deploy } from '../src/intent/deploy.ts';
import { acquire } from '../src/ownership/acquire.ts';
import { heartbeat } from '../src/ownership/heartbeat.ts';
import type { Offer } from '../src/ownership/offer.ts';
import { publish } from '../src/ownership/publish.ts';

export const ARTIFACT = `sha256:${'9b1f'.repeat(16)}`;
const SOURCE: Origin = { kind: 'source', digest: ARTIFACT };
const BUILT: Origin = { kind: 'artifact', digest: ARTIFACT };

export const benchCaller = (org: string, role: TokenRole, name: string): Caller => ({
  org,
  role,
  name,
  instance: `${name}-1`,
  target: '*',
  service: '*',
});

export const deploySource = async (host: Host, org: string, service: string) =>
  unwrapAnswer(
    await deploy(host, benchCaller(org, 'deployer', 'ana'), {
      service,
      origin: SOURCE,
      spec: { port: 8080 },
    }),
  );

export const publishAll = (host: Host, org: string) =>
  publish(host, { name: 'server', instance: 'server-1' }, org);

/** The store holds the artifact that every build of a benchmark ends with. */
export const holdArtifact = (host: Host, org: string) =>
  host.store.transact((tx) => tx.insert('artifacts', { org, digest: ARTIFACT, size: 1 }));

/** Asks for a command and acknowledges it; null when nothing waits. */
export async function take(host: Host, caller: Caller, target?: string): Promise<Offer | null> {
  const kinds = target === undefined ? (['build'] as const) : (['apply'] as const);
  const request = { kinds, worker: caller.name, instance: caller.instance, ...(target ? { target } : {}) };
  const {
    offers: [offer = null],
  } = unwrapAnswer(await acquire(host, caller, request));
  if (offer !== null) unwrapAnswer(await heartbeat(host, caller, offer.id, offer.fence));
  return offer;
}

export function itemOf(offer: Offer, kind: string, id: string, body: object) {
  const { service, revision, attempt, command, fence } = offer;
  return { id, kind, service, revision, attempt, command, fence, body };
}

/** Sends items that must all be admitted: a figure of refusals would be a figure of something else. */
export async function send(host: Host, caller: Caller, items: readonly object[]): Promise<number> {
  const results = await submit(host, caller, items);
  const refused = results.find((r) => r.verdict !== 'admitted');
  if (refused) throw new Error(`the benchmark's evidence was refused: ${refused.reason}`);
  return results.length;
}

/** One service of a target, running: applied, and seen ready by its agent. Its reports go on from `agent`. */
export async function bringUp(host: Host, org: string, service: string, target: string): Promise<Watcher> {
  const watcher = await applyAll(host, org, [service], target);
  await watcher.full([service]);
  await watcher.full([service]);
  return watcher;
}

/** Services that the agent of a target has applied, and not reported yet. */
export async function applyAll(
  host: Host,
  org: string,
  services: readonly string[],
  target: string,
): Promise<Watcher> {
  const ana = benchCaller(org, 'deployer', 'ana');
  const agent = benchCaller(org, 'agent', `agent-${target}`);
  const spec = { stabilityMs: 0 };
  await holdArtifact(host, org);
  for (const service of services) unwrapAnswer(await deploy(host, ana, { service, origin: BUILT, spec }));
  while ((await publishAll(host, org)) > 0);
  const given = { agent: agent.name, instance: agent.instance, version: '1', identity: target };
  const { epoch } = unwrapAnswer(await register(host, agent, target, given));
  for (const service of services) {
    const offer = await take(host, agent, target);
    if (offer === null) throw new Error(`nothing to apply at ${target}`);
    await send(host, agent, [itemOf(offer, 'runtime.applied', `${service}.applied`, {})]);
  }
  return new Watcher(host, agent, target, epoch);
}

/** The agent of a target, as far as it reports. */
export class Watcher {
  readonly #host: Host;
  readonly #agent: Caller;
  readonly #target: string;
  readonly #epoch: string;
  #seq = 0;
  #base = 0;

  constructor(host: Host, agent: Caller, target: string, epoch: string) {
    this.#host = host;
    this.#agent = agent;
    this.#target = target;
    this.#epoch = epoch;
  }

  /** Everything that runs, with `restarts` of the first one: another number is news. */
  async full(services: readonly string[], restarts = 0): Promise<void> {
    await this.#send({
      complete: true,
      instances: services.map((service, i) => instanceOf(service, i === 0 ? restarts : 0)),
      services: [],
    });
    this.#base = this.#seq;
  }

  async change(services: readonly string[], restarts: number): Promise<void> {
    await this.#send({
      base: String(this.#base),
      changed: { instances: services.map((service) => instanceOf(service, restarts)), services: [] },
      removed: { instances: [], services: [] },
    });
    this.#base = this.#seq;
  }

  heartbeat = () => this.#send({ base: String(this.#base) });

  async #send(body: object): Promise<void> {
    const input = { epoch: this.#epoch, seq: String(++this.#seq), ...body };
    const answer = unwrapAnswer(await report(this.#host, this.#agent, this.#target, input));
    if (answer.resync || answer.rejected.length > 0)
      throw new Error('a report of the benchmark did not apply');
  }
}

function instanceOf(service: string, restarts: number) {
  const stamp = { service, revision: 1, attempt: 1, fence: '1', artifact: ARTIFACT };
  return {
    uid: `u-${service}`,
    name: service,
    ...stamp,
    phase: 'running',
    ready: true,
    restarts,
    containers: [],
  };
}

export function unwrapAnswer<T extends object>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(`the benchmark cannot go on: ${answer.code}: ${answer.detail}`);
  return answer;
}
