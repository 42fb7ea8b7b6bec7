import type { Caller } from '../../src/access/caller.ts';
import { report } from '../../src/evidence/report/report.ts';
import { submit } from '../../src/evidence/submit/submit.ts';
import type { OriginalReport } from '../oracle-port.ts';
import type { Sim } from '../sim.ts';

interface Captured {
  readonly caller: Caller;
  readonly item: Record<string, unknown>;
}

interface CapturedReport {
  readonly caller: Caller;
  readonly made: OriginalReport;
}

const captured = new WeakMap<Sim, { items: Captured[]; reports: CapturedReport[] }>();

function captures(sim: Sim) {
  const found = captured.get(sim) ?? { items: [], reports: [] };
  captured.set(sim, found);
  return found;
}

/** Records an item that went over the wire, to be sent again later (F112). */
export function capture(sim: Sim, caller: Caller, item: Record<string, unknown>): void {
  const { items } = captures(sim);
  if (items.length < 50) items.push({ caller, item });
}

export function captureReport(sim: Sim, caller: Caller, made: OriginalReport): void {
  const { reports } = captures(sim);
  if (reports.length < 50) reports.push({ caller, made });
}

/** Someone hostile, or just confused: forged, replayed and malformed evidence and reports. */
export function startForger(sim: Sim): void {
  const { kernel, rng } = sim;
  const process = sim.process('forger');
  kernel.after(4_000, process, 'a forger listens', async () => {
    while (!sim.healing) {
      await kernel.park(rng.int(500, 8_000), 'a forger waits');
      if (!rng.chance(sim.rates.hostile) || sim.healing) continue;
      const { items, reports } = captures(sim);
      if (reports.length > 0 && rng.chance(0.4)) await forgeReport(sim, rng.pick(reports));
      else if (items.length > 0) await forgeItem(sim, rng.pick(items));
    }
  });
}

async function forgeItem(sim: Sim, { caller, item }: Captured): Promise<void> {
  const { rng } = sim;
  const sent = { ...item, id: `forged-${sim.kernel.steps}-${rng.int(0, 1e6)}` } as Record<string, unknown>;
  const mallory = { ...caller, name: `${caller.org}:mallory` };
  let by: Caller = rng.chance(0.5) ? mallory : caller;
  switch (
    rng.weighted({
      replay: 3,
      fence: 3,
      revision: 2,
      attempt: 2,
      role: 2,
      org: 2,
      body: 2,
      malformed: 2,
      fresh: 2,
    })
  ) {
    case 'replay':
      sim.hit('evidence replayed');
      by = caller;
      sent.id = item.id;
      break;
    case 'fence':
      sim.hit('evidence forged');
      sent.fence = String(Number(item.fence) + rng.int(-1, 3));
      break;
    case 'revision':
      sim.hit('evidence forged');
      sent.revision = Number(item.revision) + rng.int(-1, 2);
      break;
    case 'attempt':
      sim.hit('evidence forged');
      sent.attempt = Number(item.attempt) + rng.int(-1, 2);
      break;
    case 'role':
      sim.hit('evidence under another role');
      by = { ...mallory, role: rng.pick(['deployer', 'builder', 'agent', 'viewer']) };
      break;
    case 'org':
      sim.hit('evidence of another org');
      by = { ...caller, org: 'evil', name: 'evil:mallory' };
      break;
    case 'body':
      sim.hit('same id, another body');
      by = caller;
      sent.id = item.id;
      sent.body = { digest: `sha256:${'f'.repeat(64)}`, size: 666 };
      break;
    case 'malformed':
      sim.hit('evidence malformed');
      sent.body = rng.pick([null, { digest: 'x' }, [], 'body', { code: 5 }]);
      if (rng.chance(0.3)) sent.kind = 'no.such.kind';
      break;
    case 'fresh':
      // The same words again under a new id: whoever held the lease then no longer may.
      sim.hit('evidence forged');
      break;
  }
  const reply = await sim.call('a forger sends evidence', () => submit(sim.host, by, [sent]));
  if (reply.kind !== 'answer') return;
  const [result] = reply.value;
  if (result === undefined) return;
  sim.happened({
    kind: 'judged',
    at: sim.storeNow(),
    org: by.org,
    source: by.name,
    id: result.id,
    verdict: result.verdict,
    duplicate: result.duplicate ?? false,
    position: result.position,
    reason: result.reason ?? null,
    hostile: by.name !== caller.name,
  });
}

async function forgeReport(sim: Sim, { caller, made }: CapturedReport): Promise<void> {
  const { rng } = sim;
  const sent = { ...(made.body as Record<string, unknown>) };
  const replay = rng.chance(0.5);
  if (replay) {
    sim.hit('report replayed');
  } else {
    sim.hit('report forged');
    const epoch = Number(sent.epoch);
    sent.epoch = String(rng.chance(0.5) ? epoch + 1_000 : Math.max(0, epoch - 1));
    sent.seq = String(rng.int(1, 1_000_000));
  }
  const by = rng.chance(0.3) ? { ...caller, role: 'builder' as const } : caller;
  await sim.call(
    'a forger sends a report',
    () => report(sim.host, by, made.target, sent),
    // A replay of what never arrived is a late arrival.
    replay
      ? () => sim.happened({ kind: 'reported', at: sim.storeNow(), report: made, ok: true, resync: false })
      : null,
  );
}
