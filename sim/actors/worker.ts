import { submit } from '../../src/evidence/submit/submit.ts';
import { acquire } from '../../src/ownership/acquire.ts';
import { heartbeat, heartbeats } from '../../src/ownership/heartbeat.ts';
import type { LeaseRequest, Offer } from '../../src/ownership/offer.ts';
import { release } from '../../src/ownership/release.ts';
import type { Process } from '../kernel.ts';
import type { Sim } from '../sim.ts';
import { capture } from './forger.ts';

/** As many builds as some builders take at once. */
const SEVERAL = 3;

/** A builder: takes a build, heartbeats, stores the artifact, says so. It may die or freeze anywhere. */
export function startWorker(sim: Sim, org: string, name: string): void {
  const process = sim.process(`${org}:${name}`);
  boot(sim, org, name, process);
}

function boot(sim: Sim, org: string, name: string, process: Process): void {
  const { kernel, rng } = sim;
  const instance = `${name}-${process.incarnation}`;
  const caller = sim.caller(org, 'builder', name, instance);
  kernel.after(rng.int(0, 1_000), process, `${name} starts`, async () => {
    for (let inHand: readonly Offer[] = []; ; ) {
      if (inHand.length === 0) {
        const several = sim.takesSeveral ? { max: SEVERAL } : {};
        const reply = await asks(sim, caller, { kinds: ['build'], worker: name, instance, ...several });
        inHand = reply.kind === 'answer' && reply.value.ok ? reply.value.offers : [];
      }
      if (inHand.length > 1) inHand = await stillHeld(sim, caller, name, inHand);
      const [offer = null, ...left] = inHand;
      inHand = left;
      if (offer === null) {
        await sim.idle(
          process,
          sim.healing ? 8_000 : rng.int(5_000, 15_000),
          `${name} waits for work`,
          'worker',
        );
      } else if (sim.strikes(sim.rates.failure / 2, 'offer not taken up')) {
        await kernel.park(rng.int(1, 6_000), `${name} forgets the offer`);
      } else {
        await build(sim, org, name, process, caller, offer);
      }
      if (sim.strikes(sim.rates.actorCrash, 'worker crashed')) return die(sim, org, name, process);
    }
  });
}

/** Sends one heartbeat for all of these, and returns those that it may go on with. */
async function stillHeld(
  sim: Sim,
  caller: ReturnType<Sim['caller']>,
  name: string,
  offers: readonly Offer[],
): Promise<readonly Offer[]> {
  const at = sim.storeNow();
  const reply = await sim.call(`${name} heartbeats ${offers.length} at once`, () =>
    heartbeats(sim.host, caller, offers),
  );
  if (reply.kind !== 'answer') return offers;
  return offers.filter(({ id, fence }, i) => {
    const answer = reply.value[i];
    const isHeld = answer?.ok === true && !answer.superseded;
    if (isHeld) sim.happened({ kind: 'beat', at, org: caller.org, lease: id, fence });
    return isHeld;
  });
}

function die(sim: Sim, org: string, name: string, process: Process): void {
  sim.crash(process, () => boot(sim, org, name, process), sim.rng.int(500, 15_000));
}

/** The digest of what a build makes: the same for every attempt at the same revision. */
export function builtDigest(service: string, revision: number): string {
  let hash = revision;
  for (const c of service) hash = (hash * 31 + c.charCodeAt(0)) % 2147483647;
  return `sha256:${(hash + 2147483648).toString(16).padStart(64, '0')}`;
}

/** The port that a build finds in what it is given: some programs have one. */
export function plannedPort(digest: string): number | null {
  return Number.parseInt(digest.slice(-1), 16) % 2 === 0 ? 8080 : null;
}

/** The start command that a build finds for its bytes. */
function plannedCommand(digest: string): readonly string[] {
  return ['start', digest.slice(-6)];
}

async function build(
  sim: Sim,
  org: string,
  name: string,
  process: Process,
  caller: ReturnType<Sim['caller']>,
  offer: Offer,
): Promise<void> {
  const { kernel, rng } = sim;
  const ttl = sim.settings.leaseTtlMs;
  const beat = () => heartbeatOf(sim, caller, offer, `${name} heartbeats ${offer.id}`);
  let left = rng.chance(0.15) ? rng.int(ttl, 3 * ttl) : rng.int(50, ttl);
  let sentAt = kernel.now;
  while (left > 0) {
    const at = kernel.now;
    const reply = await beat();
    if (reply.kind === 'answer') {
      if (!reply.value.ok || reply.value.superseded) return;
      if (reply.value.cancelRequested) return say(sim, caller, offer, 'cancel.acknowledged', {}, name);
      sentAt = at;
    }
    // A worker counts its own deadline from when it sent the heartbeat, and stops itself before the lease ends.
    if (kernel.now - sentAt > ttl - 500 && !rng.chance(0.3)) return;
    const turn = Math.min(left, rng.int(200, Math.max(300, ttl / 3)));
    if (sim.strikes(sim.rates.actorPause, 'worker paused beyond its lease')) {
      const ms = rng.int(ttl / 2, 2 * ttl);
      process.pausedUntil = kernel.now + ms;
      await kernel.park(ms, `${name} wakes`);
    }
    if (sim.strikes(sim.rates.actorCrash, 'worker crashed')) return die(sim, org, name, process);
    if (sim.strikes(sim.rates.failure / 3, 'lease released')) {
      await sim.call(`${name} gives ${offer.id} back`, () =>
        release(sim.host, caller, offer.id, offer.fence, 'drained'),
      );
      return;
    }
    await kernel.park(turn, `${name} builds`);
    left -= turn;
    if (rng.chance(0.3)) await say(sim, caller, offer, 'build.progress', { step: rng.int(1, 9) }, name);
  }
  if (sim.strikes(sim.rates.failure, 'build failed')) {
    const code = rng.pick(['build_command_failed', 'something_new', 'store_recovered']);
    const says = rng.chance(0.3) ? { retrySafe: rng.chance(0.5) } : {};
    return say(sim, caller, offer, 'build.failed', { code, message: 'exit 1', ...says }, name);
  }
  const digest = builtDigest(offer.service, offer.revision);
  const upload = () => sim.host.store.transact((tx) => tx.insert('artifacts', { org, digest, size: 1 }));
  if (!rng.chance(0.03)) {
    for (let tries = 0; tries < 5; tries++) {
      const reply = await sim.call(`${name} uploads ${digest.slice(-6)}`, upload);
      if (reply.kind === 'answer') break;
    }
  }
  if (sim.strikes(sim.rates.actorPause, 'late completion'))
    await kernel.park(rng.int(100, 2 * ttl), `${name} wakes`);
  const plan = { command: plannedCommand(digest), port: plannedPort(digest) };
  return say(sim, caller, offer, 'artifact.stored', { digest, size: 1, plan }, name);
}

/** Asks for work: whoever is heard is online from then on. */
export function asks(sim: Sim, caller: ReturnType<Sim['caller']>, request: LeaseRequest) {
  const { worker, instance, kinds } = request;
  const target = request.target ?? caller.target;
  let calledAt: number | null = null;
  return sim.call(
    `${worker} asks for work`,
    () => {
      calledAt ??= sim.storeNow();
      return acquire(sim.host, caller, request);
    },
    () => {
      const at = sim.storeNow();
      const { org } = caller;
      sim.happened({
        kind: 'work_requested',
        at,
        calledAt: calledAt ?? at,
        org,
        worker,
        instance,
        kinds,
        target,
      });
    },
  );
}

/** Sends a heartbeat, and reports a good answer to the oracle: only a lease that was open then may be extended. */
export async function heartbeatOf(sim: Sim, caller: ReturnType<Sim['caller']>, offer: Offer, label: string) {
  const at = sim.storeNow();
  const reply = await sim.call(label, () => heartbeat(sim.host, caller, offer.id, offer.fence));
  if (reply.kind === 'answer' && reply.value.ok && !reply.value.superseded)
    sim.happened({ kind: 'beat', at, org: caller.org, lease: offer.id, fence: offer.fence });
  return reply;
}

/** The holder itself gets it wrong, while its lease is good: a wrong stamp, an unreadable body. */
async function sayConfused(
  sim: Sim,
  caller: ReturnType<Sim['caller']>,
  item: { readonly id: string; readonly revision: number; readonly attempt: number; readonly fence: string },
  name: string,
): Promise<void> {
  const { rng } = sim;
  const id = `${item.id}.confused`;
  const wrong = rng.pick([
    { revision: item.revision + rng.pick([-1, 1]) },
    { attempt: item.attempt + rng.pick([-1, 1]) },
    { fence: String(Number(item.fence) + rng.pick([-1, 1])) },
    { body: rng.pick([null, { digest: 7 }, 'nothing']) },
  ]);
  sim.hit('body' in wrong ? 'evidence malformed' : 'evidence forged');
  await sim.call(`${name} is confused`, () => submit(sim.host, caller, [{ ...item, ...wrong, id }]));
}

/** Sends one piece of evidence until it has a verdict: the same id each time. */
export async function say(
  sim: Sim,
  caller: ReturnType<Sim['caller']>,
  offer: Offer,
  kind: string,
  body: unknown,
  name: string,
): Promise<void> {
  const item = {
    id: `${offer.id}.${kind}.${sim.kernel.steps}.${sim.rng.int(0, 1e6)}`,
    kind,
    service: offer.service,
    revision: offer.revision,
    attempt: offer.attempt,
    command: offer.command,
    fence: offer.fence,
    observedAt: new Date(sim.kernel.now + sim.rng.int(-3_600_000, 3_600_000)).toISOString(),
    body,
  };
  sim.faults['wall clock wrong']++;
  capture(sim, caller, item);
  if (sim.rng.chance(sim.rates.hostile / 12)) await sayConfused(sim, caller, item, name);
  for (let tries = 0; tries < 5; tries++) {
    const reply = await sim.call(`${name} says ${kind}`, () => submit(sim.host, caller, [item]));
    if (reply.kind === 'answer') {
      const result = reply.value[0];
      if (result !== undefined) {
        sim.happened({
          kind: 'judged',
          at: sim.storeNow(),
          org: caller.org,
          source: caller.name,
          id: item.id,
          verdict: result.verdict,
          duplicate: result.duplicate ?? false,
          position: result.position,
          reason: result.reason ?? null,
          hostile: false,
        });
      }
      return;
    }
    await sim.kernel.park(sim.rng.int(100, 2_000), `${name} repeats ${kind}`);
  }
}
