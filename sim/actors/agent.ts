import { IMAGE_DIGEST } from '../../src/contract/names.ts';
import { type ObservationAnswer, observationAnswer } from '../../src/contract/observation.ts';
import { register } from '../../src/evidence/report/register.ts';
import { report } from '../../src/evidence/report/report.ts';
import type { Offer } from '../../src/ownership/offer.ts';
import { release } from '../../src/ownership/release.ts';
import type { RevisionRow } from '../../src/store/schema.ts';
import type { Process } from '../kernel.ts';
import type { OriginalReport } from '../oracle-port.ts';
import type { Sim } from '../sim.ts';
import type { ObservedScope, SimTarget } from '../target.ts';
import type { TruthInstance, TruthMoment } from '../world.ts';
import { captureReport } from './forger.ts';
import { afterApply, replaceLater } from './nature.ts';
import { asks, builtDigest, heartbeatOf, plannedPort, say } from './worker.ts';

const TAG_DIGEST = `sha256:${'7'.repeat(64)}`;

interface Agent {
  readonly sim: Sim;
  readonly org: string;
  readonly name: string;
  readonly target: SimTarget;
  readonly process: Process;
  readonly instance: string;
  readonly caller: ReturnType<Sim['caller']>;
  epoch: string | null;
  readonly scopes: readonly Scope[];
  /** The rule of the target, as the last answer had it. */
  rule: ObservationAnswer;
  heard: { readonly serverNow: number; readonly at: number } | null;
  /** Since when the watch delivers nothing, if it is stalled. */
  stalledAt: number | null;
  silentUntil: number;
  wake: (() => void) | null;
}

/** A part of what the agent sees, reported by itself. */
interface Scope {
  readonly name: string;
  /** The items of the last accepted report, and its number: the base of a change. */
  base: { readonly seq: string; readonly shown: ObservedScope } | null;
  seq: number;
  silentUntil: number;
  /** The last report said that nothing of it is looked at any more: none follows until a rule covers it. */
  isGivenUp: boolean;
  /** Another list of workloads that labels leave out needs a full report. */
  uncovered: string;
}

/** An agent at a target: registers, applies, observes, reports. It may die, freeze, stall or have a rival. */
export function startAgent(sim: Sim, target: SimTarget, name: string): void {
  boot(sim, target, name, sim.process(`${target.org}:${name}`));
}

function boot(sim: Sim, target: SimTarget, name: string, process: Process): void {
  const { kernel, rng } = sim;
  const instance = `${name}-${process.incarnation}`;
  const agent: Agent = {
    sim,
    org: target.org,
    name,
    target,
    process,
    instance,
    caller: sim.caller(target.org, 'agent', name, instance, target.name),
    epoch: null,
    // What no rule covers is not looked at from the beginning.
    scopes: target.scopes.map((name) => ({
      ...{ name, base: null, seq: 0, silentUntil: 0, isGivenUp: isNamespace(name), uncovered: '' },
    })),
    rule: null,
    heard: null,
    stalledAt: null,
    silentUntil: 0,
    wake: null,
  };
  for (const scope of agent.scopes) {
    const base = target.bases.get(scope.name);
    if (base === undefined || !sim.strikes(sim.rates.observe, 'base of an earlier epoch')) continue;
    scope.base = base;
    scope.seq = Number(base.seq);
  }
  target.watchers.set(name, () => agent.wake?.());
  target.residents.set(name, () => die(agent));
  kernel.after(rng.int(0, 800), process, `${name} starts`, async () => {
    if (!(await registers(agent))) return;
    kernel.after(0, process, `${name} looks for work`, () => workLoop(agent));
    await reportLoop(agent);
  });
}

function die(agent: Agent): void {
  const { sim, target, name, process } = agent;
  sim.crash(process, () => boot(sim, target, name, process), sim.rng.int(300, 12_000));
}

async function registers(agent: Agent): Promise<boolean> {
  const { sim, name, target, instance } = agent;
  for (;;) {
    const identity = target.identity;
    const reply = await sim.call(`${name} registers`, () =>
      register(sim.host, agent.caller, target.name, { agent: name, instance, version: '1', identity }),
    );
    if (reply.kind === 'answer') {
      if (!reply.value.ok) return retire(agent);
      agent.epoch = reply.value.epoch;
      agent.heard = { serverNow: reply.value.now, at: sim.kernel.now };
      follow(agent, observationAnswer(reply.value.observation));
      return true;
    }
    await sim.kernel.park(sim.rng.int(300, 2_000), `${name} tries to register again`);
  }
}

const isNamespace = (scope: string) => scope.startsWith('ns/');

/** Another rule covers other things: only a full report says which. */
function follow(agent: Agent, rule: ObservationAnswer): void {
  if (rule?.version === agent.rule?.version) return;
  agent.rule = rule;
  for (const scope of agent.scopes) scope.base = null;
}

const covers = ({ rule }: Agent, { name }: Scope): boolean =>
  !isNamespace(name) ||
  (rule !== null && (rule.namespaces.includes('*') || rule.namespaces.includes(name.slice('ns/'.length))));

/** Fenced by a newer registration: this instance is over. While faults last, a rival may be started again. */
function retire(agent: Agent): false {
  if (!agent.sim.healing && agent.sim.rng.chance(0.3)) die(agent);
  return false;
}

async function reportLoop(agent: Agent): Promise<void> {
  const { sim, name, process } = agent;
  const { kernel, rng } = sim;
  for (;;) {
    const isLeftOut = (scope: Scope) => scope.isGivenUp && !covers(agent, scope);
    // A real one goes on with the scope of its nodes, and learns of another rule by the answers.
    const lifeline = agent.scopes.every(isLeftOut) ? agent.scopes[0] : undefined;
    for (const scope of agent.scopes) {
      if (sim.healing) scope.silentUntil = 0;
      if (kernel.now < scope.silentUntil) continue;
      if (scope !== lifeline && isLeftOut(scope)) continue;
      if (!(await sendReport(agent, scope))) return;
      if (agent.scopes.length > 1 && sim.strikes(sim.rates.observe / 2, 'one scope silent'))
        scope.silentUntil = kernel.now + rng.int(1_000, 2.5 * sim.settings.freshForMs);
    }
    if (!sim.healing) {
      if (sim.strikes(sim.rates.actorCrash / 3, 'agent crashed')) return die(agent);
      if (sim.strikes(sim.rates.observe / 3, 'agent silent'))
        agent.silentUntil =
          kernel.now + rng.int(1_000, (rng.chance(0.2) ? 9 : 2.5) * sim.settings.freshForMs);
      if (agent.stalledAt === null && sim.strikes(sim.rates.observe / 2, 'watch stalled'))
        agent.stalledAt = kernel.now;
    }
    if (agent.stalledAt !== null && (sim.healing || rng.chance(0.3))) agent.stalledAt = null;
    const wait = Math.max(
      sim.healing ? sim.settings.reportEveryMs : rng.int(300, sim.settings.reportEveryMs),
      agent.silentUntil - kernel.now,
    );
    if (sim.healing) agent.silentUntil = 0;
    await pause(agent, wait, `${name} watches`);
    if (process.incarnation === 0) return;
  }
}

/** Waits, but a change at the target wakes it early: changes are reported at once. */
async function pause(agent: Agent, ms: number, label: string): Promise<void> {
  const { kernel } = agent.sim;
  const { promise, resume } = kernel.sleep();
  const timer = kernel.after(ms, agent.process, label, resume);
  agent.wake = () => {
    if (kernel.now < agent.silentUntil || agent.stalledAt !== null) return;
    timer.cancelled = true;
    agent.wake = null;
    kernel.after(agent.sim.rng.int(1, 60), agent.process, `${agent.name} sees a change`, resume);
  };
  await promise;
  agent.wake = null;
}

function look(agent: Agent, at: number, scope: string): ObservedScope {
  if (isNamespace(scope)) return lookAtNamespace(agent, at, scope.slice('ns/'.length));
  // With two scopes each has every other instance, and only the first has the services.
  const isSeen = (uid: string) => scope === '*' || (Number(uid.slice(1)) % 2 === 0) === (scope === 'even');
  const hasEntries = scope !== 'odd';
  const instances = new Map<string, Record<string, unknown>>();
  const services = new Map<string, Record<string, unknown>>();
  const moments: TruthMoment[] = [];
  for (const { org, service, target } of agent.sim.services) {
    if (org !== agent.org || target !== agent.target) continue;
    const moment = agent.sim.world.at(service, at);
    moments.push(moment);
    const { rollout } = moment;
    for (const i of moment.instances) {
      if (isSeen(i.uid)) instances.set(i.uid, shownOf(i, agent.sim));
    }
    const named = rollout === null ? moment.route : {};
    const route = moment.route === null ? { answers: false } : { answers: true, ...named };
    const counted = moment.generation;
    const generation =
      counted === null
        ? {}
        : { generation: { desired: `${counted.desired}`, observed: `${counted.observed}` } };
    if (hasEntries && (moment.instances.length > 0 || rollout !== null))
      services.set(service, {
        service,
        route,
        ...generation,
        ...rollout,
        ...contradictionOf(rollout, agent.sim),
      });
  }
  return { moments, instances, services, uncovered: [] };
}

/** The workloads of a namespace that the rule selects, as an agent in a cluster names them. */
function lookAtNamespace({ sim, target, rule }: Agent, at: number, namespace: string): ObservedScope {
  const instances = new Map<string, Record<string, unknown>>();
  const services = new Map<string, Record<string, unknown>>();
  const moments: TruthMoment[] = [];
  const uncovered: string[] = [];
  for (const one of sim.services) {
    if (one.target !== target || one.namespace !== namespace) continue;
    const { service } = one;
    const moment = sim.world.at(service, at);
    moments.push(moment);
    const { workload, rollout, generation: counted } = moment;
    if (workload === null || rollout === null) continue;
    const [name = ''] = service.split('.');
    if (rule?.selector != null && rule.selector !== `tier=${workload.tier}`) {
      if (workload.isThere) uncovered.push(`Deployment/${name}`);
      continue;
    }
    for (const i of moment.instances) instances.set(i.uid, shownOf(i, sim));
    if (!workload.isThere) continue;
    const generation = counted && { desired: `${counted.desired}`, observed: `${counted.observed}` };
    services.set(service, {
      service,
      workload: { kind: 'Deployment', namespace, name, uid: workload.uid },
      ...rollout,
      ...(generation && { generation }),
      ...contradictionOf(rollout, sim),
    });
  }
  return { moments, instances, services, uncovered };
}

/** An instance that another tool started carries no stamp of ours, only the hash of its template. */
function shownOf(i: TruthInstance, sim: Sim): Record<string, unknown> {
  const { template, ...stamped } = i;
  if (template === null) return stamped;
  const { revision: _r, attempt: _a, fence: _f, artifact: _d, ...bare } = stamped;
  return {
    ...bare,
    template,
    containers: [...bare.containers, { name: 'app', ready: bare.ready, digest: digestOf(i, template, sim) }],
  };
}

/** Some tags are pushed anew while their copies come up: the later ones run other bytes. */
function digestOf({ uid }: TruthInstance, template: string, sim: Sim): string {
  const isPushedAnew = Number(template.slice(1)) % 5 === 2 && Number(uid.slice(1)) % 2 === 1;
  if (isPushedAnew) sim.hit('two digests under one tag');
  return `sha256:${template}${isPushedAnew ? '-anew' : ''}`;
}

/** Controllers of some rollouts count fewer copies than there are. */
function contradictionOf(rollout: TruthMoment['rollout'], sim: Sim): object {
  if (rollout === null || Number(rollout.template.slice(1)) % 5 !== 4) return {};
  sim.hit('counts contradict copies');
  return { contradiction: 'controller' };
}

const NOTHING_SHOWN: ObservedScope = {
  moments: [],
  instances: new Map(),
  services: new Map(),
  uncovered: [],
};

/** False: this instance has been fenced. */
async function sendReport(agent: Agent, scope: Scope): Promise<boolean> {
  const { sim, name, target } = agent;
  const { kernel, rng } = sim;
  const seenAt = agent.stalledAt ?? kernel.now;
  const isCovered = covers(agent, scope);
  const shown = isCovered ? look(agent, seenAt, scope.name) : NOTHING_SHOWN;
  const uncovered = shown.uncovered.join();
  if (!isCovered || uncovered !== scope.uncovered) scope.base = null;
  scope.uncovered = uncovered;
  const version = isCovered && isNamespace(scope.name) ? agent.rule?.version : undefined;
  const head: Record<string, unknown> = {
    epoch: agent.epoch,
    seq: String(++scope.seq),
    scope: scope.name,
    watchAgeMs: kernel.now - seenAt,
    ...(version !== undefined && { observation: version }),
    ...(agent.heard === null
      ? {}
      : { heard: new Date(agent.heard.serverNow).toISOString(), heardAgoMs: kernel.now - agent.heard.at }),
  };
  const unavailable = sim.strikes(sim.rates.observe / 6, 'agent cannot read');
  if (unavailable) head.unavailable = rng.pick(['forbidden', 'runtime_unreachable']);
  const { body, kind, complete, mangled } = compose(agent, scope, head, shown);
  const made: OriginalReport = {
    org: agent.org,
    target: target.name,
    epoch: String(agent.epoch),
    seq: String(scope.seq),
    scope: scope.name,
    seenAt,
    kind,
    complete,
    hostile: mangled,
    body,
  };
  captureReport(sim, agent.caller, made);
  // A partial report counts once it is sent, answered or not: no change may stand on an older base any more.
  if (kind === 'full' && !complete) scope.base = null;
  if (sim.strikes(sim.rates.actorPause / 2, 'agent frozen between seeing and sending')) {
    const ms = rng.int(1_000, 2 * sim.settings.freshForMs);
    agent.process.pausedUntil = kernel.now + ms;
    await kernel.park(ms, `${name} thaws`);
  }
  const reply = await sim.call(
    `${name} reports ${kind} ${scope.seq}${scope.name === '*' ? '' : ` of ${scope.name}`}`,
    () => report(sim.host, agent.caller, target.name, body),
    () => sim.happened({ kind: 'reported', at: sim.storeNow(), report: made, ok: true, resync: false }),
  );
  if (reply.kind !== 'answer') return true;
  const answer = reply.value;
  if (!answer.ok) {
    if (answer.code === 'stale_epoch') return retire(agent);
    scope.base = null;
    return true;
  }
  agent.heard = { serverNow: answer.now, at: kernel.now };
  scope.isGivenUp = !isCovered && answer.seq === made.seq;
  follow(agent, observationAnswer(answer.observation));
  const tainted =
    answer.rejected.length > 0 && !sim.strikes(sim.rates.observe * 3, 'built on a refused base');
  if (answer.resync || tainted || answer.seq !== made.seq) scope.base = null;
  else if (agent.rule?.version !== version && isNamespace(scope.name)) scope.base = null;
  else if (kind === 'change' || (kind === 'full' && complete && !unavailable)) {
    scope.base = { seq: made.seq, shown };
    target.bases.set(scope.name, scope.base);
  }
  return true;
}

/** A full report, a change against the base, or a heartbeat; now and then a partial, mangled or mis-based one. */
function compose({ sim }: Agent, scope: Scope, head: Record<string, unknown>, shown: ObservedScope) {
  const { rng } = sim;
  const observe = sim.rates.observe;
  const { base } = scope;
  if (base === null || rng.chance(0.15)) {
    let instances: unknown[] = [...shown.instances.values()];
    let complete = true;
    let mangled = false;
    if (instances.length > 0 && sim.strikes(observe / 2, 'partial snapshot')) {
      complete = false;
      instances = instances.slice(0, rng.int(0, instances.length - 1));
    }
    if (instances.length > 0 && sim.strikes(observe / 2, 'unreadable item')) {
      mangled = true;
      instances[0] = { ...(instances[0] as object), phase: 'levitating' };
      if (rng.chance(0.2)) (instances[0] as Record<string, unknown>).service = 17;
    }
    const services = complete ? [...shown.services.values()] : [];
    return {
      body: {
        ...head,
        complete,
        instances,
        services,
        ...(shown.uncovered.length > 0 && { uncovered: shown.uncovered }),
      },
      kind: 'full' as const,
      complete,
      mangled,
    };
  }
  // One that was never sent: on a base that came, though its answer was lost, this would be another report's change.
  const seq = sim.strikes(observe / 2, 'broken base') ? String(scope.seq + rng.int(1, 9)) : base.seq;
  const diff = difference(base.shown, shown);
  if (diff === null)
    return { body: { ...head, base: seq }, kind: 'heartbeat' as const, complete: true, mangled: false };
  return { body: { ...head, base: seq, ...diff }, kind: 'change' as const, complete: true, mangled: false };
}

function difference(before: ObservedScope, now: ObservedScope) {
  if (before.moments.every((moment, i) => moment === now.moments[i])) return null;
  const changed = { instances: [] as unknown[], services: [] as unknown[] };
  const removed = { instances: [] as string[], services: [] as string[] };
  for (const part of ['instances', 'services'] as const) {
    for (const [key, value] of now[part]) {
      if (JSON.stringify(before[part].get(key)) !== JSON.stringify(value)) changed[part].push(value);
    }
    for (const key of before[part].keys()) if (!now[part].has(key)) removed[part].push(key);
  }
  const nothing = [changed.instances, changed.services, removed.instances, removed.services].every(
    (l) => l.length === 0,
  );
  return nothing ? null : { changed, removed };
}

async function workLoop(agent: Agent): Promise<void> {
  const { sim, name, target, instance } = agent;
  const { kernel, rng } = sim;
  for (;;) {
    const reply = await asks(sim, agent.caller, {
      kinds: ['apply', 'remove'],
      target: target.name,
      worker: name,
      instance,
    });
    if (reply.kind === 'answer' && !reply.value.ok) return;
    const offer = reply.kind === 'answer' && reply.value.ok ? (reply.value.offers[0] ?? null) : null;
    if (offer === null)
      await sim.idle(
        agent.process,
        sim.healing ? 8_000 : rng.int(5_000, 15_000),
        `${name} waits for work`,
        'worker',
      );
    else if (sim.strikes(sim.rates.failure / 2, 'offer not taken up'))
      await kernel.park(rng.int(1, 6_000), `${name} forgets the offer`);
    else await carryOut(agent, offer);
  }
}

async function carryOut(agent: Agent, offer: Offer): Promise<void> {
  const { sim, name, process } = agent;
  const { kernel, rng } = sim;
  const first = await heartbeatOf(sim, agent.caller, offer, `${name} takes ${offer.id}`);
  // The grant is an offer: nothing is done before the first fenced call has been answered.
  if (first.kind !== 'answer' || !first.value.ok || first.value.superseded) return;
  await kernel.park(rng.int(5, 1_500), `${name} works`);
  if (sim.strikes(sim.rates.failure / 3, 'lease released')) {
    await sim.call(`${name} gives ${offer.id} back`, () =>
      release(sim.host, agent.caller, offer.id, offer.fence, 'busy'),
    );
    return;
  }
  if (offer.kind === 'apply' && sim.strikes(sim.rates.failure / 2, 'apply failed')) {
    const retrySafe = rng.chance(0.5);
    return say(
      sim,
      agent.caller,
      offer,
      'runtime.apply_failed',
      { code: 'field_conflict', message: 'no', retrySafe },
      name,
    );
  }
  if (sim.strikes(sim.rates.actorPause, 'worker paused beyond its lease')) {
    const ms = rng.int(sim.settings.leaseTtlMs / 2, 2 * sim.settings.leaseTtlMs);
    process.pausedUntil = kernel.now + ms;
    await kernel.park(ms, `${name} wakes`);
  }
  if (sim.strikes(sim.rates.hostile / 15, 'evidence of the wrong kind')) {
    await say(
      sim,
      agent.caller,
      offer,
      offer.kind === 'apply' ? 'runtime.removed' : 'runtime.applied',
      {},
      name,
    );
  }
  const artifact = effect(agent, offer);
  if (artifact === null) return;
  if (sim.strikes(sim.rates.actorCrash, 'effect without a record')) return die(agent);
  if (offer.kind === 'remove') {
    const isUncontained = sim.strikes(sim.rates.observe, 'removed without a container');
    return say(sim, agent.caller, offer, 'runtime.removed', isUncontained ? { contained: false } : {}, name);
  }
  return say(
    sim,
    agent.caller,
    offer,
    'runtime.applied',
    artifact.tagged ? { artifact: artifact.digest } : {},
    name,
  );
}

/** The external effect, under the precondition that the runtime compares stamps. Null: the runtime refused. */
function effect(agent: Agent, offer: Offer): { digest: string; tagged: boolean } | null {
  const { sim, target } = agent;
  const at = sim.kernel.now;
  const stamp = { revision: offer.revision, attempt: offer.attempt, fence: offer.fence };
  if (offer.kind === 'remove') {
    if (!sim.world.remove(at, offer.service, stamp)) return null;
    for (const watcher of target.watchers.values()) watcher();
    return { digest: '', tagged: false };
  }
  const intent = [...sim.store.tables.revisions.values()].find(
    (r) => r.service === offer.service && r.revision === offer.revision,
  );
  if (intent === undefined) return null;
  const artifact = artifactOf(intent);
  const port = (intent.port === 'auto' ? plannedPort(artifact.digest) : intent.port) !== null;
  const told = { ...stamp, replicas: intent.replicas, artifact: artifact.digest, port };
  if (intent.replicas > 1 && sim.strikes(sim.rates.actorCrash, 'partial effect')) {
    sim.world.apply(at, offer.service, { ...told, replicas: intent.replicas - 1 }, intent.accepts);
    afterApply(sim, target, offer.service, null);
    die(agent);
    return null;
  }
  const { instances: old, route } = sim.world.now(offer.service);
  const rolling = sim.rng.chance(0.4);
  if (!sim.world.apply(at, offer.service, told, intent.accepts, rolling)) return null;
  if (rolling) replaceLater(sim, target, offer.service, old, told, intent.accepts);
  afterApply(sim, target, offer.service, route);
  return artifact;
}

function artifactOf(intent: RevisionRow): { digest: string; tagged: boolean } {
  switch (intent.origin.kind) {
    case 'source':
      return { digest: builtDigest(intent.service, intent.revision), tagged: false };
    case 'artifact':
      return { digest: intent.origin.digest, tagged: false };
    case 'image': {
      const digest = IMAGE_DIGEST.exec(intent.origin.image)?.[1];
      return { digest: digest ?? TAG_DIGEST, tagged: digest === undefined };
    }
    case 'observe':
    case 'none':
      return { digest: '', tagged: false };
  }
}
