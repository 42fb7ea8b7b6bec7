import type { Spec } from '../../src/contract/intent.ts';
import { type Agent, instance } from './agent.ts';
import type { Platform } from './driver.ts';
import { DIGEST, image, SOURCE } from './names.ts';
import type { Lease } from './taker.ts';

/** Brings a source deployment to the point where a scenario starts. Takes no time but the stability window. */
export async function waiting(lab: Platform, spec: Spec = {}): Promise<void> {
  await lab.sweep();
  await lab.deploy(SOURCE, spec);
  await lab.publish();
}

export async function building(lab: Platform, spec: Spec = {}): Promise<Lease> {
  await waiting(lab, spec);
  return lab.builder().take();
}

export async function artifactReady(lab: Platform, spec: Spec = {}): Promise<void> {
  const build = await building(lab, spec);
  await build.stored(DIGEST);
  await lab.publish();
}

export interface Applying {
  readonly agent: Agent;
  readonly apply: Lease;
}

export async function applying(lab: Platform, spec: Spec = {}): Promise<Applying> {
  await artifactReady(lab, spec);
  const agent = await lab.agent().register();
  return { agent, apply: await agent.take() };
}

/** Applied, and not observed yet. */
export async function starting(lab: Platform, spec: Spec = {}): Promise<Agent> {
  const { agent, apply } = await applying(lab, spec);
  await apply.applied();
  return agent;
}

/** Observed with `replicas` ready instances, again after the stability window. */
export async function running(lab: Platform, spec: Spec = {}): Promise<Agent> {
  const agent = await starting(lab, spec);
  const copies = Array.from({ length: spec.replicas ?? 1 }, (_, i) => instance(`u${i + 1}`));
  await agent.sees(copies);
  await lab.tick(spec.stabilityMs ?? 3000);
  await agent.heartbeat();
  return agent;
}

export const BOTH = [instance('u1'), instance('a1', { service: 'api@lab' })];

/** A second service, `api`, beside the running `web`. */
export async function runningTwo(lab: Platform): Promise<Agent> {
  const agent = await running(lab);
  await lab.deploy(image(`api@${DIGEST}`), {}, { service: 'api@lab' });
  await lab.publish();
  await (await agent.take()).applied();
  await agent.sees(BOTH);
  await lab.tick(3_000);
  await agent.heartbeat();
  return agent;
}
