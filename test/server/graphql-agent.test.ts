import { beforeAll, describe, expect, it } from 'vitest';
import type { Answered, Api } from './api.ts';
import { Agent, claimUntil, type Lease, ok } from './parties.ts';
import { useServers } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;
const FRESH_MS = 2_000;

/** Registers, and sends its two lists in full, by GraphQL alone. Commands reach it as they reach every agent. */
class GraphqlAgent {
  readonly api: Api;
  readonly commands: Agent;
  readonly #seq = { pods: 0, deployments: 0 };
  #epoch = '';

  constructor(api: Api) {
    this.api = api;
    this.commands = new Agent(api, 'lab', 'graphql-1');
  }

  async #mutate(mutation: string, input: object): Promise<Answered['body']> {
    const [field = ''] = mutation.split('(');
    const [, type] = /\$input: (\w+!)/.exec(mutation) ?? [];
    const query = `mutation ($input: ${type}) { ${mutation.replace(/\$input: \w+!/, 'input: $input')} }`;
    const { data, errors } = ok(await this.api.post('/graphql', { query, variables: { input } }));
    expect(errors).toBeUndefined();
    return data[field];
  }

  async register() {
    const input = { target: 'lab', agent: 'agent-lab', instance: 'graphql-1', identity: 'uid-1' };
    const answer = await this.#mutate(
      'registerAgent($input: RegisterAgentInput!) { epoch reportEveryMs freshForMs now }',
      input,
    );
    this.#epoch = answer.epoch;
    return answer;
  }

  pods(podStatuses: readonly object[], complete = true) {
    return this.#mutate(
      'reportPodStatuses($input: ReportPodStatusesInput!) { seq now resync rejected { index uid errors } }',
      { target: 'lab', epoch: this.#epoch, seq: String(++this.#seq.pods), complete, podStatuses },
    );
  }

  deployments(deploymentStatuses: readonly object[]) {
    return this.#mutate(
      'reportDeploymentStatuses($input: ReportDeploymentStatusesInput!) { seq resync rejected { index errors } }',
      {
        ...{ target: 'lab', epoch: this.#epoch, seq: String(++this.#seq.deployments), complete: true },
        deploymentStatuses,
      },
    );
  }
}

const podOf = ({ service, revision, attempt, fence }: Lease, name = 'web-0') => ({
  ...{ uid: `u${revision}-${name}`, name, service, revision, attempt, fence },
  ...{ artifact: IMAGE, phase: 'running', ready: true, restarts: 0, reason: null, containers: [] },
});
const deploymentOf = ({ service, revision, attempt }: Lease) => ({
  service,
  route: { answers: true, revision, attempt },
  replicas: 1,
});

describe('an agent that speaks nothing but GraphQL', () => {
  const servers = useServers(null, true);
  let api: Api;
  let agent: GraphqlAgent;

  const deploy = async (name: string) => {
    const spec = { port: 8080, stabilityMs: 100 };
    ok(await api.post(`/v1/services/${name}@lab/deployments`, { image: IMAGE, spec }), 202);
    const lease = await agent.commands.take();
    await agent.commands.applies(lease);
    return lease as Lease;
  };
  const claimOf = async (name: string) => ok(await api.get(`/v1/services/${name}@lab/status`));

  beforeAll(async () => {
    ({ api } = await servers.start({ args: ['--fresh-for', String(FRESH_MS), '--report-every', '500'] }));
    agent = new GraphqlAgent(api.as(await api.tokenFor('agent', { target: 'lab' })));
    expect(await agent.register()).toMatchObject({ epoch: '1', freshForMs: FRESH_MS });
  }, 60_000);

  it('makes a service running, and is shown with the lists of everybody', { timeout: 60_000 }, async () => {
    const lease = await deploy('web');
    const both = async () => {
      await agent.pods([podOf(lease)]);
      await agent.deployments([deploymentOf(lease)]);
    };
    const claim = await claimUntil(api, 'web@lab', ({ state }) => state === 'running', both);
    expect(claim.serving).toMatchObject({ revision: 1 });
    const instances = ok(await api.get('/v1/services/web@lab/instances')).items;
    expect(instances).toMatchObject([{ uid: 'u1-web-0', ready: true }]);
    const broken = { ...podOf(lease), ready: false, reason: 'probe_failed' };
    const degraded = await claimUntil(
      api,
      'web@lab',
      ({ state }) => state === 'degraded',
      async () => {
        await agent.pods([broken]);
        await agent.deployments([deploymentOf(lease)]);
      },
    );
    expect(degraded.cause.code).toBe('probe_failed');
  });

  it('a bad item is refused by itself, and prunes nothing', { timeout: 60_000 }, async () => {
    const lease = await deploy('api');
    const { rejected } = await agent.pods([
      podOf(lease),
      { ...podOf(lease, 'web-1'), service: 'no such name' },
    ]);
    expect(rejected).toMatchObject([{ index: 1 }]);
    const stored = await agent.pods([podOf(lease)]);
    expect(stored).toMatchObject({ resync: false, rejected: [] });
  });

  it('either list that falls silent makes unknown what rests on it', { timeout: 60_000 }, async () => {
    const lease = await deploy('docs');
    const both = async () => {
      await agent.pods([podOf(lease)]);
      await agent.deployments([deploymentOf(lease)]);
    };
    const isRunning = ({ state }: Answered['body']) => state === 'running';
    const isUnknown = ({ state }: Answered['body']) => state === 'unknown';
    await claimUntil(api, 'docs@lab', isRunning, both);
    await claimUntil(api, 'docs@lab', isUnknown, () => agent.deployments([deploymentOf(lease)]));
    await claimUntil(api, 'docs@lab', isRunning, both);
    await claimUntil(api, 'docs@lab', isUnknown, () => agent.pods([podOf(lease)]));
  });

  it('a list of deployments alone proves no instance gone', { timeout: 60_000 }, async () => {
    const lease = await deploy('gone');
    await claimUntil(
      api,
      'gone@lab',
      ({ state }) => state === 'running',
      async () => {
        await agent.pods([podOf(lease)]);
        await agent.deployments([deploymentOf(lease)]);
      },
    );
    ok(await api.call('DELETE', '/v1/services/gone@lab'), 202);
    await agent.commands.removes(await agent.commands.take());
    // A newer registration knows nothing of the pods until they are listed again.
    await agent.register();
    for (let i = 0; i < 3; i++) await agent.deployments([]);
    expect((await claimOf('gone')).state).not.toBe('stopped');
    await claimUntil(
      api,
      'gone@lab',
      ({ state }) => state === 'stopped',
      async () => {
        await agent.pods([]);
        await agent.deployments([]);
      },
    );
    // A proof that it is gone ages with the list of pods, whatever the other list says.
    const stale = await claimUntil(
      api,
      'gone@lab',
      ({ state }) => state === 'unknown',
      () => agent.deployments([]),
    );
    expect(stale.lastKnown.state).toBe('stopped');
  });
});
