import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Rng } from '../lab/rng.ts';
import { Actions } from './actions.ts';
import { APP_ROWS, refOf, type SoakService } from './apps.ts';
import { Revisions } from './claims/revisions.ts';
import { drive } from './driver.ts';
import type { FaultContext, SoakFault } from './faults.ts';
import { type SoakFleet, type SoakStore, startFleet } from './fleet/fleet.ts';
import type { OwnEnd } from './fleet/part.ts';
import { Judge } from './judge.ts';
import type { SoakResult } from './result.ts';
import { SoakTally } from './tally.ts';
import { endApps } from './truth/end-apps.ts';
import { GroundTruth } from './truth/ground-truth.ts';

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
  const rng = new Rng(seed);
  const wait = (time: number) => sleep(time, undefined, { signal: interrupt }).catch(() => {});
  const endsAt = Date.now() + ms + APPS_OUTLIVE_MS;
  const revisions = new Revisions(fleet.servers.map(({ client }) => client));
  const nameOf = new Map(services.map((service) => [service.name, refOf(service)]));
  const truth = new GroundTruth(run, services, fleet.routerPort, (name) =>
    revisions.currentOf(nameOf.get(name) ?? ''),
  );
  const tally = new SoakTally();
  const actions = new Actions(fleet, new Rng(seed + 1), services, run, endsAt);
  await actions.deployAll(services);
  for (const { kind } of services) {
    const row = APP_ROWS[kind];
    if (row !== null) tally.count(row);
  }
  truth.start();
  const judge = new Judge({ servers: fleet.servers, services, truth, revisions, tally, freshForMs });
  judge.start();
  show('first deploys');
  await wait(Math.min(WARM_MS, ms / 4));
  actions.start();
  const calmMs = Math.min(CALM_MS, ms / 3);
  const isOver = () => interrupt.aborted || performance.now() - beganAt > ms - calmMs;
  const left = () => Math.max(1_000, ms - calmMs - (performance.now() - beganAt));
  const lastsMs = () => Math.min(left(), rng.pick([1_500, 6_000, 12_000, 25_000]));
  const context: FaultContext = { fleet, truth, rng, services, actions, wait, lastsMs };
  const skipped = faults.flatMap(({ name, unavailable }) => {
    const why = unavailable(fleet);
    return why === null ? [] : [{ name, why }];
  });
  const possible = faults.filter(({ unavailable }) => unavailable(fleet) === null);
  await drive(possible, context, tally, isOver, show);
  actions.stop();
  show('calm: everything must come back');
  tally.begin(['calm at the end']);
  await wait(calmMs);
  const stuck = interrupt.aborted ? [] : judge.stuck();
  judge.stop();
  truth.stop();
  show('looking for each acknowledged action in the ledger');
  const lost = await actions.lost().catch(() => null);
  return {
    ...{ seed, store, freshForMs, isInterrupted: interrupt.aborted, ownEnds, stuck, lost, skipped },
    seconds: (performance.now() - beganAt) / 1000,
    ...{ rows: tally.rows, samples: tally.samples, unjudged: tally.unjudged, falsehoods: tally.falsehoods },
    ...{
      acknowledged: actions.acknowledged.length,
      refused: actions.refused,
      unanswered: actions.unanswered,
    },
  };
}
