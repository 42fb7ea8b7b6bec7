import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Rng } from '../lab/rng.ts';
import { Actions } from './actions.ts';
import { APP_ROWS, isDeployedAtStart, refOf, type SoakService } from './apps.ts';
import { Revisions } from './claims/revisions.ts';
import { drive } from './driver.ts';
import type { SoakFault } from './faults/fault.ts';
import { type SoakFleet, type SoakStore, startFleet } from './fleet/fleet.ts';
import { MemoryWatch } from './fleet/memory.ts';
import type { OwnEnd } from './fleet/part.ts';
import { Judge } from './judge.ts';
import { lineOfFalsehood, type SoakResult } from './result.ts';
import { SoakTally } from './tally.ts';
import { endApps } from './truth/end-apps.ts';
import { GroundTruth } from './truth/ground-truth.ts';
import { OwnDelay } from './truth/own-delay.ts';

export interface SoakRequest {
  readonly ms: number;
  readonly store: SoakStore;
  readonly seed: number;
  readonly freshForMs: number;
  readonly services: readonly SoakService[];
  readonly faults: readonly SoakFault[];
  /** Ends the faults early; the result is of what was done. */
  readonly interrupt: AbortSignal;
  readonly show: (what: string) => void;
}

/** The first deploys have this long before faults begin. */
const WARM_MS = 20_000;
/** Longer than any claim may lag: after it, whatever answers must be shown running. */
const CALM_MS = 45_000;
/** Apps end by themselves so long after the run, should nobody end them. */
const APPS_OUTLIVE_MS = 10 * 60_000;

export async function soak(wanted: SoakRequest): Promise<SoakResult> {
  const run = randomUUID().slice(0, 8);
  const ownEnds: OwnEnd[] = [];
  wanted.show(`starting a fleet on ${wanted.store}`);
  const onOwnEnd = (end: OwnEnd) => {
    ownEnds.push(end);
    const lines = end.words.trim().split('\n');
    const why = lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1) ?? '';
    wanted.show(`${end.part} ended by itself: ${why}`);
  };
  const fleet = await startFleet({ ...wanted, onOwnEnd });
  // After the fleet's own ending in this process: an agent that lives starts its apps again.
  const killApps = () => endApps(run);
  process.once('exit', killApps);
  try {
    return await soaked(wanted, fleet, run, ownEnds);
  } finally {
    wanted.show('ending every process');
    await fleet.close();
    killApps();
    process.off('exit', killApps);
  }
}

async function soaked(
  { ms, store, seed, freshForMs, services, faults, interrupt, show }: SoakRequest,
  fleet: SoakFleet,
  run: string,
  ownEnds: readonly OwnEnd[],
): Promise<SoakResult> {
  const beganAt = performance.now();
  setMaxListeners(0, interrupt);
  const wait = (time: number) => sleep(time, undefined, { signal: interrupt }).catch(() => {});
  const endsAt = Date.now() + ms + APPS_OUTLIVE_MS;
  const revisions = new Revisions(fleet.servers.map(({ client }) => client));
  const nameOf = new Map(services.map((service) => [service.name, refOf(service)]));
  const own = new OwnDelay();
  const currentOf = (name: string) => revisions.currentOf(nameOf.get(name) ?? '');
  const truth = new GroundTruth({ run, services, routerPort: fleet.routerPort, own, currentOf });
  const tally = new SoakTally((falsehood) => show(lineOfFalsehood(falsehood)));
  const faultsNow = () => tally.current;
  const actions = new Actions({ fleet, rng: new Rng(seed + 1), services, run, endsAt, faultsNow });
  const first = services.filter(isDeployedAtStart);
  await actions.deployAll(first);
  for (const { kind } of first) {
    const row = APP_ROWS[kind];
    if (row !== null) tally.count(row);
  }
  const judge = new Judge({ servers: fleet.servers, services, truth, revisions, tally, own, freshForMs });
  const memory = new MemoryWatch([...fleet.servers.map(({ part }) => part), fleet.agent, fleet.worker]);
  const watchers = [own, truth, judge, memory];
  for (const watcher of watchers) watcher.start();
  show('first deploys');
  await wait(Math.min(WARM_MS, ms / 4));
  actions.start();
  const calmMs = Math.min(CALM_MS, ms / 3);
  const leftMs = () => (interrupt.aborted ? 0 : ms - calmMs - (performance.now() - beganAt));
  const skipped = faults.flatMap(({ name, unavailable }) => {
    const why = unavailable(fleet);
    return why === null ? [] : [{ name, why }];
  });
  const possible = faults.filter(({ unavailable }) => unavailable(fleet) === null);
  const surroundings = { fleet, truth, services, actions, wait };
  await drive({ faults: possible, surroundings, seed, tally, leftMs, show });
  actions.stop();
  const undrawn = possible.filter(({ name }) => !tally.rows.some((row) => row.name === name));
  show('calm: everything must come back');
  tally.begin(['calm at the end']);
  await wait(calmMs);
  const stuck = interrupt.aborted ? [] : judge.stuck();
  for (const watcher of watchers) watcher.stop();
  show('looking for each acknowledged action in the ledger');
  const lost = await actions.lost().catch(() => null);
  for (const { during } of lost ?? []) tally.countLost(during);
  return {
    ...{ seed, store, freshForMs, isInterrupted: interrupt.aborted, ownEnds, stuck, lost },
    skipped: [
      ...skipped,
      ...undrawn.map(({ name }) => ({ name, why: 'its turn did not come: give it more minutes' })),
    ],
    seconds: (performance.now() - beganAt) / 1000,
    ...{ rows: tally.rows, falsehoods: tally.falsehoods, complaints: tally.complaints },
    ...{ samples: tally.samples, unjudged: tally.unjudged, starved: tally.starved },
    ownDelay: { worstMs: own.worstMs, starvedMs: own.starvedMs },
    memory: memory.most,
    ...{
      acknowledged: actions.acknowledged.length,
      refused: actions.refused,
      unanswered: actions.unanswered,
    },
  };
}
