import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach } from 'vitest';
import { removeDirectory } from '../../lab/remove-directory.ts';
import { ProcessAgent } from '../../src/agent/process-agent.ts';
import { Client } from '../../src/client/client.ts';
import type { Spec } from '../../src/contract/intent.ts';
import { RUNTIME_VARIABLE } from '../../src/runtime/process/environment.ts';
import { appsDirectory } from '../../src/runtime/process/isolation.ts';
import { markedWith, signal, signalGroup } from '../../src/runtime/process/proc.ts';
import type { ProcessRuntime } from '../../src/runtime/process/runtime.ts';
import { Router } from '../../src/runtime/router/router.ts';
import { livingRouter, routerDir } from '../../src/runtime/router-process/place.ts';
import type { RouterPort } from '../../src/runtime/supervise/router-port.ts';
import { digestOf, QUICK, tarOf } from '../runtime/process-lab.ts';
import type { Api } from '../server/api.ts';
import { ok } from '../server/parties.ts';

/** Ends the processes that agents of their own process left running in a directory, when the test ends. */
export function endWithTest(dir: string): void {
  cleaning.push(() => endProcessesOf(dir));
}

/** An agent inside the test, on a real runtime of its own. */
export interface StagedAgent {
  readonly runtime: ProcessRuntime;
  readonly router: RouterPort;
  readonly lines: string[];
  /** Rejects with the error that ended it, resolves when it was stopped. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const cleaning: (() => Promise<unknown>)[] = [];

/** Ends every process that was started from these directories, whether the test passed or not. */
export function cleanUp(): void {
  afterEach(async () => {
    for (const clean of cleaning.splice(0).reverse()) await clean();
  });
}

/** Ends what was started from the places in a directory, and removes what lies outside of it. Their agents have ended. */
export async function endProcessesOf(dir: string): Promise<void> {
  const places = [dir, ...foldersIn(dir), ...foldersIn(join(dir, 'runtime'))].filter((place) =>
    existsSync(join(place, 'identity')),
  );
  const identities = new Set(places.map((place) => readFileSync(join(place, 'identity'), 'utf8').trim()));
  const alive = () => markedWith(RUNTIME_VARIABLE).filter(({ value }) => identities.has(value));
  // One that is dying still writes: its directory cannot be removed before it is gone.
  for (let left = alive(), tries = 0; left.length > 0; left = alive(), tries++) {
    if (tries === 1000) throw new Error(`${left.length} processes of ${dir} are started again and again`);
    for (const { group } of left) signalGroup(group, 'SIGKILL');
    await setTimeout(10);
  }
  for (const place of places) {
    const router = livingRouter(routerDir(place));
    if (router !== null) signal(router.process.pid, 'SIGKILL');
  }
  for (const place of places) await removeDirectory(appsDirectory(place));
}

const foldersIn = (dir: string) => (existsSync(dir) ? readdirSync(dir).map((name) => join(dir, name)) : []);

export async function startAgent(api: Api, dir: string, target = 'lab'): Promise<StagedAgent> {
  const client = new Client(api.address, await api.tokenFor('agent', { target }));
  const lines: string[] = [];
  const agent = await ProcessAgent.open({
    ...{ client, dir, target, timing: QUICK },
    name: 'agent-lab',
    version: '0',
    router: (events) => new Router({ host: '127.0.0.1', port: 0, ...events }),
    say: (line) => lines.push(line),
  });
  const { runtime, router } = agent;
  const stop = new AbortController();
  const ended = agent.run(stop.signal);
  ended.catch(() => {});
  const stopped = async () => {
    stop.abort();
    await ended.catch(() => {});
  };
  cleaning.push(async () => {
    await stopped();
    await endProcessesOf(dir);
    await removeDirectory(dir);
  });
  return { runtime, router, lines, ended, stop: stopped };
}

/** Deploys files as an artifact that is already stored, and returns its revision. */
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

/** Follows the stream until the claim satisfies `is`. A state that was never sent is not waited for. */
export async function claimed(
  api: Api,
  // biome-ignore lint/suspicious/noExplicitAny: claims are compared with what the protocol says
  is: (claim: any) => boolean,
  service = 'web@lab',
) {
  const events = await api.events(`/v1/services/${service}/events`);
  try {
    const received = await events.until(({ event, data }) => {
      const claim = event === 'claim' ? data : event === 'transition' ? data.claim : null;
      return claim !== null && is(claim);
    });
    return received.event === 'claim' ? received.data : received.data.claim;
  } finally {
    events.close();
  }
}

export const running = (revision: number) => (claim: { state: string; desired: { revision: number } }) =>
  claim.state === 'running' && claim.desired.revision === revision;

export const dirIn = (data: string, name = 'runtime') => join(data, name);
