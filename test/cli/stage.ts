import { Agent, Builder, digestOf, type Lease, ok } from '../server/parties.ts';
import type { Server } from '../server/servers.ts';

/** A builder and an agent of one target that act only when the test calls them. */
export interface Stage {
  readonly env: Readonly<Record<string, string>>;
  readonly builder: Builder;
  readonly agent: Agent;
  /** Acquires the next build, and builds it. */
  builds(): Promise<{ readonly lease: Lease; readonly digest: string }>;
  fails(lines: readonly string[]): Promise<void>;
  /** Sends lines of a build, numbered from `from` on. */
  writes(lease: Lease, lines: readonly string[], from?: number): Promise<void>;
  /** Acquires the next apply, and reports it running until its outcome. */
  runs(digest: string, replicas?: number): Promise<Lease>;
  /** Reports it again, so that it stays fresh. */
  keeps(): Promise<void>;
}

export async function stageFor({ api, data }: Server, target: string): Promise<Stage> {
  const builder = new Builder(
    api.as(await api.tokenFor('builder', { service: `*@${target}` })),
    `builder-${target}`,
  );
  const agent = new Agent(api.as(await api.tokenFor('agent', { target })), target, `agent-${target}`);
  await agent.register();
  await agent.sees([]);
  let report: () => Promise<unknown> = () => agent.sees([]);
  const write: Stage['writes'] = async ({ service, revision, attempt, command, fence }, lines, from = 0) => {
    const about = { service, revision, attempt, command, fence, stream: 'build' };
    const at = new Date().toISOString();
    const items = lines.map((line, i) => ({ ...about, seq: from + i, at, line }));
    ok(await builder.api.post('/v1/logs', { items }));
  };
  return {
    env: { EVIDENT_DATA: data },
    writes: write,
    builder,
    agent,
    builds: async () => {
      const lease = await builder.take(20_000);
      return { lease, digest: await builder.builds(lease) };
    },
    fails: async (lines) => {
      const lease = await builder.take(20_000);
      ok(await builder.api.post(`/v1/leases/${lease.id}/heartbeat`, { fence: lease.fence }));
      const { service, revision, attempt, command, fence } = lease;
      const about = { service, revision, attempt, command, fence };
      await write(lease, lines);
      const body = { code: 'build_command_failed', message: 'exit 1', exitCode: 1 };
      ok(
        await builder.api.post('/v1/evidence', {
          items: [{ ...about, id: `failed-${command}`, kind: 'build.failed', body }],
        }),
      );
    },
    runs: async (digest, replicas = 1) => {
      const lease = await agent.take(20_000);
      await agent.applies(lease);
      report = () => (replicas === 0 ? agent.sees([]) : agent.seesRunning(lease, digest, replicas));
      const { service, revision, attempt } = lease;
      const record = `/v1/services/${service}/revisions/${revision}/attempts/${attempt}`;
      do await report();
      while (ok(await api.get(record)).outcome === 'in_progress');
      return lease;
    },
    keeps: async () => void (await report()),
  };
}

export { digestOf };
