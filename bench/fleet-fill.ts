import type { Host } from '../src/evidence/door/host.ts';
import { deploy } from '../src/intent/deploy.ts';
import { cloneService } from './clone.ts';
import { benchCaller, unwrapAnswer } from './life.ts';

/** The org that a server serves from the start. */
const ORG = 'default';

/** Services that are observed at each target: the first by the verb, the others as its copies. */
export async function fillFleet(host: Host, targets: readonly string[], services: number): Promise<void> {
  for (const target of targets) {
    const service = `s0@${target}`;
    const spec = { replicas: 1, port: null };
    const deployer = benchCaller(ORG, 'deployer', 'ana');
    unwrapAnswer(await deploy(host, deployer, { service, origin: { kind: 'observe' }, spec }));
    const copies = Array.from({ length: services - 1 }, (_, i) => `s${i + 1}@${target}`);
    await cloneService(host.store, ORG, service, copies);
  }
}
