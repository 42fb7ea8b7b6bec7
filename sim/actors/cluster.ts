import { setObservation } from '../../src/evidence/report/observation-rule.ts';
import type { Sim } from '../sim.ts';
import type { SimTarget } from '../target.ts';
import { startAgent } from './agent.ts';
import { afterApply, replaceLater } from './nature.ts';

const NAMESPACES = ['shop', 'bank'] as const;
const TIERS = ['front', 'back'] as const;
/** Names that a rule finds: the workload, then its namespace. */
const WORKLOADS = ['web.shop', 'api.shop', 'web.bank'] as const;

/**
 * A cluster to which another tool deploys, and a rule of its target that administrators change all the time: workloads
 * appear, are covered, relabelled, left out, removed and created anew. Each namespace is reported as a scope of its own.
 */
export function startCluster(sim: Sim, org: string): void {
  const [bases, watchers, residents] = [new Map(), new Map(), new Map()];
  const target: SimTarget = {
    ...{ org, name: 'prod', identity: `${org}-prod`, scopes: NAMESPACES.map((one) => `ns/${one}`) },
    ...{ bases, watchers, residents },
  };
  sim.targets.push(target);
  for (const workload of WORKLOADS) {
    const service = `${workload}@prod`;
    sim.services.push({ org, service, target, namespace: workload.slice(workload.indexOf('.') + 1) });
    if (sim.rng.chance(0.3)) sim.world.counting.add(service);
    if (sim.rng.chance(0.2)) sim.world.accompanied.add(service);
  }
  startAgent(sim, target, 'agent-prod');
  startAdmin(sim, target);
  startDeployer(sim, target);
}

function startAdmin(sim: Sim, { org, name }: SimTarget): void {
  const { kernel, rng } = sim;
  const caller = sim.caller(org, 'admin', 'admin');
  const process = sim.process(`${org}:admin`);
  kernel.after(rng.int(0, 2_000), process, 'an administrator begins', async () => {
    while (!sim.healing) {
      const request = requestFor(sim);
      sim.hit('rule of a target changed');
      await sim.call(`admin observes ${JSON.stringify(request)}`, () =>
        setObservation(sim.host, caller, name, request),
      );
      await kernel.park(rng.int(4_000, 25_000), 'admin waits before another rule');
    }
  });
}

function requestFor({ rng }: Sim): { namespaces: string[]; selector?: string } | null {
  const namespaces = rng.chance(0.4) ? ['*'] : rng.chance(0.5) ? [rng.pick(NAMESPACES)] : [...NAMESPACES];
  if (rng.chance(0.15)) return null;
  return rng.chance(0.35) ? { namespaces, selector: `tier=${rng.pick(TIERS)}` } : { namespaces };
}

function startDeployer(sim: Sim, target: SimTarget): void {
  const { kernel, rng } = sim;
  const own = sim.services.filter((one) => one.target === target);
  for (const { service, namespace = '' } of own) if (rng.chance(0.7)) create(sim, target, service, namespace);
  kernel.after(2_000, null, 'another tool', function turn(): undefined {
    if (sim.healing) return undefined;
    const { service, namespace = '' } = rng.pick(own);
    if (sim.world.now(service).workload?.isThere) change(sim, target, service);
    else create(sim, target, service, namespace);
    tell(target);
    kernel.after(rng.int(1_500, 12_000), null, 'another tool', turn);
    return undefined;
  });
}

function create(sim: Sim, target: SimTarget, service: string, namespace: string): void {
  sim.hit('workload created');
  sim.world.place(sim.kernel.now, service, { namespace, tier: sim.rng.pick(TIERS), isThere: true });
  rollOut(sim, target, service);
}

function rollOut(sim: Sim, target: SimTarget, service: string): void {
  const { kernel, rng, world } = sim;
  const old = world.now(service).instances;
  const replicas = rng.chance(0.1) ? 0 : rng.int(1, 2);
  world.rollOut(kernel.now, service, { template: `t${kernel.steps}`, replicas }, true);
  afterApply(sim, target, service, null);
  replaceLater(sim, target, service, old, { revision: -1, attempt: -1 }, []);
}

function change(sim: Sim, target: SimTarget, service: string): void {
  const { kernel, rng, world } = sim;
  const { workload } = world.now(service);
  if (workload === null) return;
  switch (rng.weighted({ rollOut: 2, label: 4, remove: 3 })) {
    case 'rollOut':
      rollOut(sim, target, service);
      return;
    case 'label':
      sim.hit('workload with other labels');
      world.place(kernel.now, service, { ...workload, tier: rng.pick(TIERS) });
      return;
    case 'remove':
      sim.hit('workload removed elsewhere');
      world.place(kernel.now, service, { ...workload, isThere: false });
      for (const { uid } of world.now(service).instances) {
        world.change(kernel.now, service, uid, { phase: 'stopping', ready: false, reason: 'terminating' });
        kernel.after(rng.int(100, 6_000), null, `${uid} is gone`, () => {
          world.kill(kernel.now, service, uid);
          tell(target);
          return undefined;
        });
      }
      return;
  }
}

function tell(target: SimTarget): void {
  for (const watcher of target.watchers.values()) watcher();
}
