import type { ObjectIdentity } from '../identity.ts';
import { ready } from '../verdict.ts';
import { judgeDeployment } from './deployment.ts';
import { judgeJob } from './job.ts';
import type { KindLadder } from './ladder-context.ts';
import { judgePod } from './pod.ts';
import { hasNoStatus } from './without-status.ts';

/** Ladders of built-in kinds, by group and kind. The version does not matter: fields kept their names over versions. */
const LADDERS: ReadonlyMap<string, KindLadder> = new Map([
  ['/Pod', judgePod],
  ['apps/Deployment', judgeDeployment],
  ['extensions/Deployment', judgeDeployment],
  ['batch/Job', judgeJob],
]);

/** Null for a kind that is not built in. */
export function ladderOf({ group, kind }: ObjectIdentity): KindLadder | null {
  const key = `${group}/${kind}`;
  return LADDERS.get(key) ?? (hasNoStatus(key) ? judgeStatusless : null);
}

const judgeStatusless: KindLadder = (_, { identity }) =>
  ready(`${identity.kind} has no status: it is as it is written`);
