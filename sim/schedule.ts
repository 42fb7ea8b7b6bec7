import { Rng } from '../lab/rng.ts';
import type { Claim } from '../src/contract/claim.ts';
import { claimAt, claimNow } from '../src/evidence/read.ts';
import { DEFAULT_SETTINGS, type Settings } from '../src/projection/facts.ts';
import { startAgent } from './actors/agent.ts';
import { startClient } from './actors/client.ts';
import { startCluster } from './actors/cluster.ts';
import { startForger } from './actors/forger.ts';
import { startNature, startOtherTool } from './actors/nature.ts';
import { startMisfortune, startReader, startServerProcess } from './actors/platform.ts';
import { startWorker } from './actors/worker.ts';
import { type FaultCounts, type Rates, ratesFor } from './faults.ts';
import type { Counts } from './oracle/counters.ts';
import { createOracle } from './oracle.ts';
import type { Oracle, OracleInputs, Violation } from './oracle-port.ts';
import { Sim } from './sim.ts';
import { orStalled } from './stall.ts';
import { noTwinCounts, type TwinCounts } from './twin/counters.ts';
import { sameEnding } from './twin/ending.ts';
import type { RealStore } from './twin/real-store.ts';

interface Result {
  readonly seed: number;
  readonly steps: number;
  readonly violation: Violation | null;
  readonly faults: FaultCounts;
  readonly counts: Counts;
  /** Comparisons of the database with memory. */
  readonly held: Readonly<TwinCounts>;
}

export interface Options {
  readonly steps: number;
  /** A database that must answer as memory does, and end as it does. */
  readonly real?: RealStore | null;
  /** Faults left out, to find which ones a violation needs. */
  readonly without?: readonly (keyof Rates)[];
  /** Called with the universe, before each step, when faults stop, and at the end: a trace is made of these. */
  readonly onStart?: (sim: Sim) => void;
  readonly onStep?: (sim: Sim, label: string, process: string | null) => void;
  readonly onCalm?: (sim: Sim) => void;
  readonly onEnd?: (sim: Sim, end: End) => Promise<void>;
}

/** Why a schedule went no further. */
export type ScheduleEnding = 'violation' | 'at_rest' | 'time_over' | 'steps_over' | 'nothing_left';

interface OrgClaim {
  readonly org: string;
  readonly claim: Claim;
}

interface End {
  readonly ending: ScheduleEnding;
  /** The claim of every service that somebody deployed, as it is now. */
  claims(): Promise<OrgClaim[]>;
}

/** Faster clocks than in production, so that a short schedule sees leases lapse and freshness end. */
const QUICK: Settings = {
  freshForMs: 6_000,
  reportEveryMs: 2_000,
  leaseTtlMs: 8_000,
  offerMs: 2_000,
  blindAfterMs: 5_000,
  checkpointEvery: 10,
};

const SLOW = 0.6;
/** In every other schedule callers of a server share transactions. Not rolled: the rest of it stays what it was. */
const SHARED = 0;
/** In every fifth builders take several builds at once. */
const SEVERAL = 3;
/**
 * In one of so many schedules there is a cluster with a rule, too. Not rolled, so that the others stay what they were;
 * odd, because a report and a rule that share a transaction leave the oracle no way to tell which was first.
 */
const RULED = 16;
const HEAL_MS = 240_000;
const HEAL_STEPS = 3_000;

/** One schedule: build a universe from the seed, let it happen, stop the faults, let it come to rest. */
export async function runSchedule(seed: number, options: Options): Promise<Result> {
  const rng = new Rng(seed);
  const settings = rng.chance(0.8) ? QUICK : DEFAULT_SETTINGS;
  const rates = { ...ratesFor(() => rng.next()) } as Record<keyof Rates, number>;
  // A slow world, in which whoever works is paused again and again: lease after lease of the same work lapses.
  if (rng.chance(0.07)) rates.actorPause = SLOW;
  for (const fault of options.without ?? []) rates[fault] = 0;
  const real = options.real ?? null;
  // Faults of the database alone are rolled apart, so that the schedule is the one that memory alone would have.
  const apart = new Rng(-seed);
  const beside = real === null ? undefined : { store: real, rng: apart };
  const sim = new Sim(rng, settings, rates, beside, {
    shares: seed % 2 === SHARED,
    takesSeveral: seed % 5 === SEVERAL,
  });
  await real?.reset(() => sim.storeNow());
  populate(sim);
  if (seed % RULED === 11) startCluster(sim, 'acme');
  options.onStart?.(sim);
  const around = surroundings(sim);
  const oracle = createOracle(around);
  sim.onHappening = (happening) => oracle.happened(happening);
  const { kernel } = sim;
  const { onStep } = options;
  if (onStep) kernel.onStep = (label, process) => onStep(sim, label, process?.name ?? null);
  let ending: ScheduleEnding = 'violation';
  const happening = happen(sim, oracle, options).then((end) => {
    ending = end.ending;
    return end.violation;
  });
  let violation = real === null ? await orStalled(happening, () => `step ${kernel.steps}`) : await happening;
  const { twin } = sim;
  if (twin !== null && real !== null) {
    await twin.end();
    violation ??= twin.difference ?? (await sameEnding(sim.store, real, settings, apart, twin.counts));
  }
  await options.onEnd?.(sim, { ending, claims: () => claimsOf(sim, around) });
  const held = twin?.counts ?? noTwinCounts();
  return { seed, steps: kernel.steps, violation, faults: sim.faults, counts: oracle.counts, held };
}

async function claimsOf(sim: Sim, around: OracleInputs): Promise<OrgClaim[]> {
  const found: OrgClaim[] = [];
  for (const { org, service } of sim.services) {
    const claim = await around.claim(org, service);
    if (claim !== null) found.push({ org, claim });
  }
  return found;
}

interface ScheduleResult {
  readonly ending: ScheduleEnding;
  readonly violation: Violation | null;
}

const ended = (ending: ScheduleEnding): ScheduleResult => ({ ending, violation: null });
const broken = (violation: Violation): ScheduleResult => ({ ending: 'violation', violation });

async function happen(sim: Sim, oracle: Oracle, { steps, onCalm }: Options): Promise<ScheduleResult> {
  const violation = await runSteps(sim, oracle, steps);
  if (violation !== null) return broken(violation);
  onCalm?.(sim);
  sim.stopFaults();
  const rest = await heal(sim, oracle);
  if (rest.violation !== null) return rest;
  const found = await oracle.finish();
  return found === null ? rest : broken(found);
}

/** The next event, and what everyone who watches says of it; `over` when nothing is left. */
async function step(sim: Sim, oracle: Oracle): Promise<Violation | 'over' | null> {
  const { kernel, twin } = sim;
  if (!(await kernel.step())) return 'over';
  if (twin?.difference) return twin.difference;
  if (kernel.failure !== null) return failed(kernel.failure);
  const found = oracle.check();
  return found instanceof Promise ? await found : found;
}

async function runSteps(sim: Sim, oracle: Oracle, steps: number): Promise<Violation | null> {
  const { kernel } = sim;
  while (kernel.steps < steps) {
    const found = await step(sim, oracle);
    if (found === 'over') break;
    if (found !== null) return found;
  }
  return null;
}

/** Faults have stopped: everything must come to rest, within bounds. */
async function heal(sim: Sim, oracle: Oracle): Promise<ScheduleResult> {
  const { kernel, store } = sim;
  const until = kernel.now + HEAL_MS;
  const limit = kernel.steps + HEAL_STEPS;
  let quietSince = kernel.now;
  while (kernel.now < until && kernel.steps < limit) {
    const before = store.tables.transitions.size;
    const found = await step(sim, oracle);
    if (found === 'over') return ended('nothing_left');
    if (found !== null) return broken(found);
    if (store.tables.transitions.size !== before || !isAtRest(sim)) quietSince = kernel.now;
    if (kernel.now - quietSince > 3 * sim.settings.freshForMs) return ended('at_rest');
  }
  return ended(kernel.steps < limit ? 'time_over' : 'steps_over');
}

function isAtRest(sim: Sim): boolean {
  for (const command of sim.store.tables.commands.values()) {
    if (['held', 'recorded', 'published', 'offered', 'leased'].includes(command.state)) return false;
  }
  for (const service of sim.store.tables.services.values()) {
    if (service.outcome === 'in_progress' || service.state === 'degraded') return false;
  }
  return true;
}

const failed = (error: unknown): Violation => ({
  invariant: 'no exception',
  detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
});

function populate(sim: Sim): void {
  const { rng } = sim;
  const orgs = rng.chance(0.2) ? ['acme', 'umbrella'] : ['acme'];
  for (let i = 1; i <= rng.int(1, 2); i++) startServerProcess(sim, `server-${i}`, orgs);
  for (const org of orgs) {
    const names = rng.chance(0.25) ? ['lab', 'edge'] : ['lab'];
    for (const name of names) {
      const identity = `${org}-${name}`;
      const scopes = rng.chance(0.12) ? ['even', 'odd'] : ['*'];
      const [bases, watchers, residents] = [new Map(), new Map(), new Map()];
      sim.targets.push({ org, name, identity, scopes, bases, watchers, residents });
    }
    const services = rng.int(1, 2);
    for (let i = 1; i <= services; i++) {
      const target = rng.pick(sim.targets.filter((t) => t.org === org));
      const service = `${org === 'acme' ? 'web' : 'shop'}${i}@${target.name}`;
      sim.services.push({ org, service, target });
      if (rng.chance(0.15)) sim.observed.add(service);
      if (rng.chance(0.35)) sim.world.accompanied.add(service);
      if (rng.chance(0.5)) sim.world.counting.add(service);
    }
    for (let i = 1; i <= rng.int(1, 2); i++) startWorker(sim, org, `builder-${i}`);
    for (let i = 1; i <= rng.int(1, 2); i++) startClient(sim, org, `client-${i}`);
    startReader(sim, org);
  }
  for (const target of sim.targets) {
    startAgent(sim, target, `agent-${target.name}`);
    if (rng.chance(0.2)) {
      sim.hit('second agent for the target');
      startAgent(sim, target, `rival-${target.name}`);
    }
  }
  if (sim.rates.hostile > 0) startForger(sim);
  startNature(sim);
  startOtherTool(sim);
  startMisfortune(sim);
}

/** The oracle asks memory alone: the database is held against memory elsewhere. */
function surroundings(sim: Sim): OracleInputs {
  const memory = { store: sim.store, settings: sim.settings };
  return {
    store: sim.store,
    world: sim.world,
    settings: sim.settings,
    storeNow: () => sim.storeNow(),
    trueNow: () => sim.kernel.now,
    claim: async (org, service) => {
      const answer = await claimNow(memory, org, service);
      return answer.ok ? answer.claim : null;
    },
    claimAt: async (org, service, at) => {
      const answer = await claimAt(memory, org, service, at);
      return answer.ok ? answer.claim : null;
    },
  };
}
