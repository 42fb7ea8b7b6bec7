import { expect } from 'vitest';
import { type Agent, instance } from './agent.ts';
import { newLab } from './driver.ts';

export const WEB = 'web.shop@lab';
export const SHOP = { scope: 'ns/shop' };

/** A pod of the workload, as an agent in a cluster reports it: no stamp of ours, the hash of its template instead. */
export const pod = (uid: string, changed: object = {}) =>
  instance(uid, {
    service: WEB,
    revision: null,
    attempt: null,
    fence: null,
    artifact: null,
    template: 'hash-1',
    ...changed,
  });

export const workload = (changed: object = {}) => ({
  kind: 'Deployment',
  namespace: 'shop',
  name: 'web',
  uid: 'd-1',
  managedBy: 'Argo CD',
  ...changed,
});

export const entry = (changed: object = {}) => ({
  service: WEB,
  template: 'hash-1',
  replicas: 1,
  workload: workload(),
  ...changed,
});

export async function observing(
  rule = { namespaces: ['shop'] },
): Promise<{ lab: ReturnType<typeof newLab>; agent: Agent }> {
  const lab = newLab();
  await lab.observe(rule);
  const agent = await lab.agent('agent-1').register();
  return { lab, agent };
}

export const transitions = (lab: ReturnType<typeof newLab>) => lab.rows('transitions').map(({ to }) => to);

export async function runningThere() {
  const found = await observing();
  const { lab, agent } = found;
  await agent.sees([pod('p1')], [entry()], { ...SHOP, observation: 1 });
  await lab.tick(4_000);
  await agent.heartbeat({ ...SHOP, observation: 1 });
  expect(await lab.claim(WEB)).toMatchObject({ state: 'running' });
  return found;
}
