import { retirePlace } from '../../src/evidence/report/retire.ts';
import type { Sim } from '../sim.ts';
import type { SimTarget } from '../target.ts';
import { allReady, type TruthInstance, type TruthMoment } from '../world.ts';

/** Decides the fate of instances after an apply: they come up, or do not, or fall over later. */
export function afterApply(sim: Sim, target: SimTarget, service: string, route: TruthMoment['route']): void {
  // A router that stays with what was there before is the one that misleads.
  if (sim.rng.chance(sim.rates.nature * (route === null ? 0.3 : 1.5)))
    stickRoute(sim, target, service, route);
  if (sim.rng.chance(sim.rates.nature / 2)) fallBehind(sim, target, service);
  tell(target);
  for (const instance of sim.world.now(service).instances) {
    if (instance.phase === 'pending') rise(sim, target, service, instance);
  }
}

/** Another tool deploys what is only observed: now and then another template, and not always as many. */
export function startOtherTool(sim: Sim): void {
  const { kernel, rng, world } = sim;
  let templates = 0;
  kernel.after(500, null, 'another tool', function turn(): undefined {
    if (sim.healing) return undefined;
    for (const { service, target } of sim.services) {
      if (!sim.observed.has(service) || (templates > 0 && rng.chance(0.4))) continue;
      sim.hit('deployed by another tool');
      const old = world.now(service).instances;
      const rolling = rng.chance(0.6);
      const rollout = { template: `t${++templates}`, replicas: rng.chance(0.1) ? 0 : rng.int(1, 3) };
      world.rollOut(kernel.now, service, rollout, rolling);
      afterApply(sim, target, service, null);
      if (rolling) replaceLater(sim, target, service, old, { revision: -1, attempt: -1 }, []);
    }
    kernel.after(rng.int(4_000, 20_000), null, 'another tool', turn);
    return undefined;
  });
}

/** A rolling update takes the old instances away one by one, a little later. */
export function replaceLater(
  sim: Sim,
  target: SimTarget,
  service: string,
  old: readonly TruthInstance[],
  applied: { readonly revision: number; readonly attempt: number },
  keep: readonly { readonly revision: number; readonly attempt: number }[],
): void {
  for (const { uid, revision, attempt } of old) {
    const stays = [applied, ...keep].some((s) => s.revision === revision && s.attempt === attempt);
    if (stays) continue;
    sim.kernel.after(sim.rng.int(300, 6_000), null, `${uid} makes room`, () => {
      sim.world.kill(sim.kernel.now, service, uid);
      tell(target);
      return undefined;
    });
  }
}

function stickRoute(sim: Sim, target: SimTarget, service: string, route: TruthMoment['route']): void {
  sim.hit('route stuck');
  const ms = sim.rng.int(1_000, 8_000);
  sim.world.stickRoute(sim.kernel.now, service, ms, route);
  tell(target);
  sim.kernel.after(ms, null, 'the router catches up', () => {
    sim.world.followRoute(sim.kernel.now, service);
    tell(target);
    return undefined;
  });
}

/** The runtime was asked for something else, and its controllers do not take it in for a while. */
function fallBehind(sim: Sim, target: SimTarget, service: string): void {
  if (!sim.world.counting.has(service)) return;
  sim.hit('generation behind');
  sim.world.lag(sim.kernel.now, service, true);
  tell(target);
  sim.kernel.after(sim.rng.int(500, 12_000), null, 'the controllers catch up', () => {
    sim.world.lag(sim.kernel.now, service, false);
    tell(target);
    return undefined;
  });
}

function tell(target: SimTarget): void {
  for (const watcher of target.watchers.values()) watcher();
}

function change(
  sim: Sim,
  target: SimTarget,
  service: string,
  uid: string,
  next: Partial<TruthInstance>,
): void {
  const instance = sim.world.now(service).instances.find((i) => i.uid === uid);
  // Nothing comes back from its end.
  if (instance?.phase === 'stopping') return;
  // An instance that comes up brings up everything beside it, unless the caller says otherwise.
  const beside = next.ready && instance !== undefined ? { containers: allReady(instance) } : {};
  sim.world.change(sim.kernel.now, service, uid, { ...beside, ...next });
  tell(target);
}

function rise(sim: Sim, target: SimTarget, service: string, { uid }: TruthInstance): void {
  const { kernel, rng } = sim;
  const later = (ms: number, label: string, run: () => void) =>
    kernel.after(ms, null, label, () => {
      run();
      return undefined;
    });
  const begin = rng.int(5, 800);
  const fate = rng.chance(sim.rates.nature)
    ? rng.weighted({ never: 2, crash: 3, rhythm: 3, image: 1, digest: 1, strange: 1, lost: 1, beside: 2 })
    : 'well';
  later(begin, `${uid} starts`, () => change(sim, target, service, uid, { phase: 'starting' }));
  const ready = begin + rng.int(5, 1_500);
  switch (fate) {
    case 'well':
      later(ready, `${uid} is ready`, () =>
        change(sim, target, service, uid, { phase: 'running', ready: true }),
      );
      return;
    case 'never':
      sim.hit('instance never ready');
      later(ready, `${uid} runs, never ready`, () =>
        change(sim, target, service, uid, { phase: 'running', ready: false, reason: 'not_listening' }),
      );
      return;
    case 'crash':
      sim.hit('instance crashed');
      for (let n = 1; n <= 4; n++) {
        later(ready + n * 600, `${uid} exits`, () =>
          change(sim, target, service, uid, { phase: 'exited', ready: false, restarts: n, reason: 'exited' }),
        );
        later(ready + n * 600 + 300, `${uid} runs again`, () =>
          change(sim, target, service, uid, { phase: 'running', ready: rng.chance(0.7), reason: null }),
        );
      }
      return;
    case 'rhythm':
      later(ready, `${uid} is ready, and will not stay so`, () => {
        change(sim, target, service, uid, { phase: 'running', ready: true });
        dieInRhythm(sim, target, service, uid);
      });
      return;
    case 'image':
      later(begin + 1, `${uid} finds no image`, () =>
        change(sim, target, service, uid, { phase: 'pending', reason: 'image_not_found' }),
      );
      return;
    case 'digest':
      sim.hit('wrong digest');
      later(ready, `${uid} is ready with other bytes`, () =>
        change(sim, target, service, uid, {
          phase: 'running',
          ready: true,
          artifact: `sha256:${'0'.repeat(64)}`,
        }),
      );
      return;
    case 'strange':
      sim.hit('unknown reason');
      later(begin + 1, `${uid} is strange`, () =>
        change(sim, target, service, uid, { phase: 'pending', reason: 'bewitched' }),
      );
      later(ready + 3_000, `${uid} is ready`, () =>
        change(sim, target, service, uid, { phase: 'running', ready: true, reason: null }),
      );
      return;
    case 'beside': {
      const { containers = [] } = sim.world.now(service).instances.find((i) => i.uid === uid) ?? {};
      if (containers.length > 0) sim.hit('container beside it not ready');
      later(ready, `${uid} is ready, but not what runs beside it`, () =>
        change(sim, target, service, uid, { phase: 'running', ready: true, containers }),
      );
      later(ready + rng.int(2_000, 30_000), `${uid} is complete`, () =>
        change(sim, target, service, uid, { phase: 'running', ready: true }),
      );
      return;
    }
    case 'lost':
      sim.hit('node lost');
      later(ready, `${uid} is on a lost node`, () =>
        change(sim, target, service, uid, { phase: 'unknown', ready: false }),
      );
      later(ready + 4_000, `${uid} is back`, () =>
        change(sim, target, service, uid, { phase: 'running', ready: true }),
      );
  }
}

/**
 * It answers, and dies every few seconds, again and again (F113). A runtime may restart it, or replace it under its
 * name; then nobody may see that anything exited but by its phase.
 */
function dieInRhythm(sim: Sim, target: SimTarget, service: string, first: string): void {
  const { kernel, rng, world } = sim;
  const copies = world.now(service).instances.length;
  sim.hit(copies > 1 ? 'one copy dies in a rhythm' : 'app dies in a rhythm');
  const everyMs = rng.int(1_500, 12_000);
  const isReplaced = rng.chance(0.3);
  let [uid, left] = [first, rng.int(3, 9)];
  kernel.after(everyMs, null, `${uid} dies`, function dies(): undefined {
    const instance = world.now(service).instances.find((i) => i.uid === uid);
    if (sim.healing || left-- === 0 || instance === undefined) return undefined;
    change(sim, target, service, uid, { phase: 'exited', ready: false, reason: 'exited' });
    kernel.after(rng.int(100, 900), null, `${uid} is there again`, () => {
      if (world.now(service).instances.find((i) => i.uid === uid)?.phase === 'stopping') return undefined;
      if (isReplaced) {
        sim.hit('instance replaced under its name');
        uid = world.replaceExited(kernel.now, service, uid)?.uid ?? uid;
      }
      const restarts = isReplaced ? instance.restarts : instance.restarts + 1;
      change(sim, target, service, uid, { phase: 'running', ready: true, restarts, reason: null });
      return undefined;
    });
    kernel.after(everyMs + 1_000, null, `${uid} dies again`, dies);
    return undefined;
  });
}

/** Later mishaps: what ran stops running, what was gone is back, the whole cluster is another one. */
export function startNature(sim: Sim): void {
  const { kernel, rng } = sim;
  kernel.after(5_000, null, 'nature', function turn(): undefined {
    if (sim.healing) return undefined;
    for (const { service, target, namespace } of sim.services) {
      if (!rng.chance(sim.rates.nature / 2)) continue;
      mishap(sim, target, service, namespace !== undefined);
    }
    kernel.after(rng.int(1_500, 5_000), null, 'nature', turn);
    return undefined;
  });
}

/** What a rule finds is nobody's apply and has no route of ours: nothing there strays from an apply or misroutes. */
function mishap(sim: Sim, target: SimTarget, service: string, isFound: boolean): void {
  const { rng, world, kernel } = sim;
  const instances = world.now(service).instances.filter(({ phase }) => phase !== 'stopping');
  if (isFound && instances.length === 0) return;
  const applied = world.lastApplied(service);
  // Decided by the step's number, not rolled, so that the rest of the schedule stays as it was.
  if (applied !== undefined && instances.length > 0 && kernel.steps % 2 === 0)
    strayUnissued(sim, target, service, applied);
  // A teardown must not miss an instance that was removed and is there again.
  const gone = applied?.replicas === 0 && instances.length === 0;
  const kind = rng.weighted({
    exit: 4,
    vanish: 3,
    flap: 3,
    rhythm: 2,
    beside: instances.some((i) => i.containers.length > 0) ? 3 : 0,
    behind: instances.length > 0 ? 2 : 0,
    stray: isFound ? 0 : gone ? 12 : 1.5,
    route: isFound ? 0 : 2,
    replace: isFound ? 0 : 0.4,
  });
  if (kind === 'replace') {
    sim.hit('cluster replaced');
    retireLater(sim, target, target.identity);
    target.identity = `${target.identity}'`;
    for (const s of sim.services) if (s.target === target) world.replace(kernel.now, s.service);
    for (const dies of target.residents.values()) dies();
    return;
  }
  if (kind === 'stray') {
    sim.hit(applied === undefined ? 'stray of what was never told' : 'stray instance');
    world.stray(kernel.now, service, applied ?? NEVER_APPLIED);
    tell(target);
    return;
  }
  if (kind === 'behind') {
    fallBehind(sim, target, service);
    return;
  }
  if (kind === 'route') {
    stickRoute(sim, target, service, null);
    return;
  }
  if (instances.length === 0) return;
  const victim = rng.pick(instances);
  switch (kind) {
    case 'exit':
      sim.hit('instance crashed');
      change(sim, target, service, victim.uid, { phase: 'exited', ready: false, reason: 'exited' });
      kernel.after(rng.int(300, 5_000), null, `${victim.uid} restarts`, () => {
        change(sim, target, service, victim.uid, {
          phase: 'running',
          ready: true,
          restarts: victim.restarts + 1,
          reason: null,
        });
        return undefined;
      });
      return;
    case 'vanish':
      sim.hit('instance vanished');
      world.kill(kernel.now, service, victim.uid);
      tell(target);
      return;
    case 'beside': {
      const containers = victim.containers.map((c) => (c.kind === 'sidecar' ? { ...c, ready: false } : c));
      if (containers.length > 0) sim.hit('container beside it not ready');
      change(sim, target, service, victim.uid, { containers });
      if (rng.chance(0.3)) return;
      kernel.after(rng.int(1_000, 9_000), null, `${victim.uid} is complete again`, () => {
        change(sim, target, service, victim.uid, { containers: allReady(victim) });
        return undefined;
      });
      return;
    }
    case 'rhythm':
      dieInRhythm(sim, target, service, victim.uid);
      return;
    case 'flap': {
      // Decided by the step's number, not rolled: a runtime that probes by itself may say no more than this.
      const isBare = kernel.steps % 3 === 0;
      if (victim.ready) sim.hit(isBare ? 'instance not ready, without a reason' : 'instance hangs');
      change(sim, target, service, victim.uid, {
        ready: !victim.ready,
        ...(victim.phase === 'running' && { reason: victim.ready && !isBare ? 'not_answering' : null }),
      });
      return;
    }
  }
}

/** An operator learns that the former place is no more, soon or late, and says so until somebody has heard it (F114). */
function retireLater(sim: Sim, target: SimTarget, identity: string): void {
  const { kernel } = sim;
  const { org, name } = target;
  const process = sim.process(`${org}:operator of ${identity}`);
  const caller = sim.caller(org, 'operator', `operator-${identity}`);
  const wait = kernel.steps % 2 === 0 ? 15_000 : 60_000;
  kernel.after(wait, process, `an operator looks for ${identity}`, async () => {
    for (;;) {
      const reply = await sim.call(`an operator retires ${identity}`, () =>
        retirePlace(sim.host, caller, name, { identity, reason: 'replaced' }),
      );
      if (reply.kind === 'answer' && reply.value.ok) {
        sim.hit('former place retired');
        return;
      }
      await kernel.park(3_000, 'an operator tries again');
    }
  });
}

/** Something under numbers that were never handed out (F24). No `remove` reaches it: it goes as it has come. */
function strayUnissued(
  sim: Sim,
  target: SimTarget,
  service: string,
  applied: NonNullable<ReturnType<Sim['world']['lastApplied']>>,
): void {
  const { kernel, world } = sim;
  sim.hit('stray of what was never handed out');
  const { revision, attempt } = applied;
  const isLaterTry = kernel.steps % 4 === 0;
  world.stray(kernel.now, service, {
    ...applied,
    revision: isLaterTry ? revision : revision + UNISSUED,
    attempt: isLaterTry ? attempt + UNISSUED : attempt,
  });
  tell(target);
  const uid = world.now(service).instances.at(-1)?.uid ?? '';
  kernel.after(9_000, null, `${uid} goes again`, () => {
    world.kill(kernel.now, service, uid);
    tell(target);
  });
}

/** More than any schedule ever hands out. */
const UNISSUED = 1_000;
/** As another installation or a restored disk brings it: stamped like ours, and nobody of ours put it there. */
const NEVER_APPLIED = { revision: 1, attempt: 1, fence: '1', artifact: `sha256:${'0'.repeat(64)}` };
