import { readlinkSync } from 'node:fs';
import { ProblemAnswer } from '../../src/client/client.ts';
import { SOAK_TARGET } from '../apps.ts';
import { SecondAgent } from '../fleet/second-agent.ts';
import { signalApp } from './apps.ts';
import type { FaultContext, SoakFault } from './fault.ts';

/** Longer than a claim is fresh, so that everything of the first place has fallen silent. */
const LEAST_MS = 9_000;
const RETIRED_WITHIN_MS = 40_000;
const AGAIN_MS = 500;

/**
 * The agent is cut off, goes on serving, and another registers for its target from another place (F114). Nothing of the
 * first place is gone: whoever says so is false. In the end the second place goes with its apps, the first agent comes
 * back, and an operator says that the second is no more.
 */
async function secondPlace(context: FaultContext): Promise<void> {
  const { fleet, truth, wait, lastsMs, complain } = context;
  const link = fleet.links.agent;
  link.set({ kind: 'black_hole' });
  fleet.agent.expectEnd(true);
  const second = await SecondAgent.start(fleet).catch((error: Error) => {
    complain(`the second agent did not start: ${error.message}`);
    return null;
  });
  try {
    if (second === null) return;
    truth.addRouter(second.routerPort);
    await wait(Math.max(LEAST_MS, lastsMs));
  } finally {
    await second?.kill();
    if (second !== null) endAppsIn(second.dir, context);
    link.set({ kind: 'pass' });
    if (second !== null) {
      await retire(context, second.identity);
      truth.removeRouter(second.routerPort);
      second.remove();
    }
    fleet.agent.expectEnd(false);
  }
}

/** The machine is no more, and what ran on it neither. */
function endAppsIn(dir: string, { truth }: FaultContext): void {
  for (let left = true; left; ) {
    const own = truth.processes().filter(({ pid }) => directoryOf(pid).startsWith(dir));
    for (const process of own) signalApp(process, 'SIGKILL');
    left = own.length > 0;
  }
}

function directoryOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

/** Refused as long as it is the current place, and without an answer while a server or its database is away. */
async function retire({ fleet, wait, complain }: FaultContext, identity: string): Promise<void> {
  let why = '';
  for (let ms = 0; ms < RETIRED_WITHIN_MS; ms += AGAIN_MS)
    for (const { client } of fleet.servers)
      try {
        const path = `/v1/targets/${SOAK_TARGET}/retirements`;
        await client.call(
          'POST',
          path,
          { identity, reason: 'the soak ended that place' },
          { timeoutMs: 5_000 },
        );
        return;
      } catch (error) {
        why = error instanceof ProblemAnswer ? `${error.status} ${error.code}` : (error as Error).message;
        await wait(AGAIN_MS);
      }
  complain(`a place that is no more could not be retired: ${why}`);
}

export const SECOND_PLACE_FAULTS: readonly SoakFault[] = [
  {
    name: 'second agent registers from another place',
    unavailable: ({ canRetire }) => (canRetire ? null : 'this version cannot retire a place'),
    run: secondPlace,
  },
];
