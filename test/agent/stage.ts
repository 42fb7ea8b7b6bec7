import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { type AgentOptions, runAgent } from '../../src/agent/agent.ts';
import { getArtifact } from '../../src/client/artifacts.ts';
import { Client } from '../../src/client/client.ts';
import type { Spec } from '../../src/contract/intent.ts';
import { INSTANCE_VARIABLE } from '../../src/runtime/process/environment.ts';
import { markedWith, signalGroup } from '../../src/runtime/process/proc.ts';
import { ProcessRuntime } from '../../src/runtime/process/runtime.ts';
import { Router } from '../../src/runtime/router/router.ts';
import { digestOf, QUICK, tarOf } from '../runtime/process-lab.ts';
import type { Api } from '../server/api.ts';
import { ok } from '../server/parties.ts';

/** An agent inside the test, on a runtime of its own that is real. */
export interface StagedAgent {
  readonly runtime: ProcessRuntime;
  readonly router: Router;
  readonly said: string[];
  /** Rejects with what ended it, resolves when it was stopped. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const cleaning: (() => Promise<unknown>)[] = [];

/** Ends every process that was started from these directories; with the test, whatever became of it. */
export function cleanUp(): void {
  afterEach(async () => {
    for (const clean of cleaning.splice(0).reverse()) await clean();
  });
}

export function endProcessesOf(dir: string): void {
  const inside = new Set(
    markedWith('HOME')
      .filter(({ value }) => value.startsWith(dir))
      .map(({ id }) => id.pid),
  );
  for (const { id, group } of markedWith(INSTANCE_VARIABLE))
    if (inside.has(id.pid)) signalGroup(group, 'SIGKILL');
}

export async function startAgent(
  api: Api,
  dir: string,
  { target = 'lab', ...more }: Partial<AgentOptions> & { target?: string } = {},
): Promise<StagedAgent> {
  const client = new Client(api.address, await api.tokenFor('agent', { target }));
  const said: string[] = [];
  let runtime: ProcessRuntime | null = null;
  const router = new Router({ host: '127.0.0.1', port: 0, onRefused: (uid) => runtime?.lookAt(uid) });
  const opened = await ProcessRuntime.open({
    dir,
    router,
    timing: QUICK,
    say: (line) => said.push(line),
    fetch: async (digest, signal) => getArtifact(client, digest, signal),
  });
  runtime = opened;
  const stop = new AbortController();
  const options = {
    client,
    runtime: opened,
    target,
    name: 'agent-lab',
    version: '0',
    say: (line: string) => said.push(line),
  };
  const ended = runAgent({ ...options, ...more }, stop.signal);
  ended.catch(() => {});
  const stopped = async () => {
    stop.abort();
    await ended.catch(() => {});
    await opened.close();
  };
  cleaning.push(async () => {
    await stopped();
    endProcessesOf(dir);
    rmSync(dir, { recursive: true, force: true });
  });
  return { runtime: opened, router, said, ended, stop: stopped };
}

/** Deploys files as an artifact that is there already, and answers its revision. */
export async function deploy(
  api: Api,
  files: Readonly<Record<string, string>>,
  spec: Spec,
  service = 'web@lab',
) {
  const bytes = await tarOf(files);
  const digest = digestOf(bytes);
  const builder = api.as(await api.tokenFor('builder'));
  await builder.call('PUT', `/v1/artifacts/${digest}`, {
    raw: bytes as Uint8Array<ArrayBuffer>,
    headers: { 'content-type': 'application/octet-stream' },
  });
  const body = ok(await api.post(`/v1/services/${service}/deployments`, { artifact: digest, spec }), 202);
  return { digest, revision: body.revision as number };
}

/** The claim, followed on the stream until it is as said: what nobody was told of is not waited for. */
export async function claimed(
  api: Api,
  // biome-ignore lint/suspicious/noExplicitAny: claims are compared with what the protocol says
  is: (claim: any) => boolean,
  service = 'web@lab',
) {
  const events = await api.events(`/v1/services/${service}/events`);
  try {
    const told = await events.until(({ event, data }) => {
      const claim = event === 'claim' ? data : event === 'transition' ? data.claim : null;
      return claim !== null && is(claim);
    });
    return told.event === 'claim' ? told.data : told.data.claim;
  } finally {
    events.close();
  }
}

export const running = (revision: number) => (claim: { state: string; desired: { revision: number } }) =>
  claim.state === 'running' && claim.desired.revision === revision;

export const dirIn = (data: string, name = 'runtime') => join(data, name);
