import type { Agent } from './agent.ts';
import type { Lab } from './driver.ts';

/** Reports the instances twice, the stability window apart. */
export async function settle(lab: Lab, agent: Agent, instances: object[], services: object[] = []) {
  await agent.sees(instances, services);
  await lab.tick(3_000);
  await agent.sees(instances, services);
  const { state, cause } = await lab.claim();
  return [state, cause?.code];
}

/** The stage that an operator reads in the claim. */
export const stageOf = async (lab: Lab) => (await lab.asOperator()).operator?.stage;
