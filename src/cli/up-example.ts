import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, ProblemAnswer } from '../client/client.ts';
import { People } from '../client/people.ts';
import type { Claim } from '../contract/claim.ts';
import { runDeploy } from './deploy/deploy.ts';
import { runStatus } from './verbs/status.ts';

/** The target of `evident up`. */
export const TARGET = 'local';
const SERVICE = `hello@${TARGET}`;
/** States in which the example is deployed again; in any other state it is shown as it is. */
const OVER: readonly Claim['state'][] = ['stopped', 'failed', 'cancelled'];
/** Time to wait for the agent's first report: an app observed before this start may have ended since. */
const FIRST_WORD_MS = 10_000;

interface ServerConnection {
  readonly server: string;
  readonly token: string;
}

/** Deploys examples/hello with its proof line, or shows the deployed one. Returns its addresses. */
export async function showExample(
  { server, token }: ServerConnection,
  output: 'text' | 'json',
  signal: AbortSignal,
): Promise<readonly string[]> {
  const people = new People(new Client(server, token), { signal });
  const options = { server, token, color: true, output: output === 'json' ? 'json' : 'table' } as const;
  try {
    const claim = await adopted(people, signal);
    if (claim === null || OVER.includes(claim.state))
      await runDeploy(exampleDir(), { ...options, service: SERVICE });
    else await runStatus(SERVICE, options);
    return (await people.service(SERVICE)).urls;
  } catch (error) {
    if (signal.aborted) return [];
    throw error;
  }
}

/** The claim after the agent's first report; null if the example was never deployed. */
async function adopted(people: People, signal: AbortSignal): Promise<Claim | null> {
  const until = performance.now() + FIRST_WORD_MS;
  let begun: string | null = null;
  for (;;) {
    const claim = await people.status(SERVICE).catch((error: unknown) => {
      if (error instanceof ProblemAnswer && error.status === 404) return null;
      throw error;
    });
    if (claim === null) return null;
    begun ??= claim.now;
    const isObserved = (claim.freshness.asOf ?? claim.now) >= begun;
    if ((claim.state !== 'unknown' && isObserved) || performance.now() > until) return claim;
    await wait(200, undefined, { signal });
  }
}

/** The examples beside the bundle, or beside the sources. */
function exampleDir(): string {
  const here = fileURLToPath(new URL('.', import.meta.url));
  const found = ['..', '../..']
    .map((up) => join(here, up, 'examples', 'hello'))
    .find((dir) => existsSync(dir));
  if (found === undefined) throw new Error('examples/hello is not where it was packed');
  return found;
}
