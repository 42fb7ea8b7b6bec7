import { compareDigits, type Digits } from '../../contract/digits.ts';
import type { Judged, ObservedBody } from '../../contract/evidence.ts';
import type { RevisionIntent } from '../../contract/intent.ts';
import type { AgentLiveness, Observed, ObservedPart, RevisionFacts } from '../../projection/facts.ts';
import { fold } from '../../projection/fold.ts';
import { judge, viewOf } from '../../projection/judge.ts';
import { isAbsentIn, toldMark } from '../../projection/judge-runtime.ts';
import { type ContractReading, readContract } from '../../projection/running-contract.ts';
import type { Standing } from '../../projection/standing.ts';
import { neededCommand } from '../../projection/workload.ts';
import type { ServiceFile } from '../door/service-file.ts';

/** Where a row that is not written yet would stand: above every position of the ledger, whatever it will be. */
const AFTER_ALL: Digits = '9'.repeat(30);

/** The claim as it would be with this observation, and what that means for the active attempt. */
export function judgeWith(file: ServiceFile, body: Omit<ObservedBody, 'judged'>, at: number) {
  const tentative = fold(file.proven, {
    kind: 'runtime.observed',
    id: 'tentative',
    position: AFTER_ALL,
    receivedAt: at,
    body: { ...body, judged: null },
  } as Parameters<typeof fold>[1]);
  const standing = judge(file.intent, { ...file.facts, proven: tentative }, at);
  const { state, reading } = standing;
  // Held, but not on record: while another scope is silent the claim cannot tell, and this one may not come again.
  const before = file.standing(at).reading;
  const holds = reading?.held && before?.held && isSettled(before, reading, body.scope);
  const settling =
    (reading !== null && reading.unmet === null && !holds) ||
    provesAbsence(file, tentative.observed, body.scope, at);
  // The first word about this attempt since the runtime was told, if only that nothing of it is there: by who speaks of
  // all, or has spoken of the service before. And the first that shows the contract stable, though it be too old to be
  // told: a clock that is set back makes it young again.
  const mayTell = body.scope === '*' || file.proven.observed.parts.some((p) => p.scope === body.scope);
  const isFirst =
    before !== null &&
    reading !== null &&
    ((mayTell && reading.isOfIt && !before.isOfIt) || (reading.held && !before.held));
  return { state, settling, isFirst, judged: judgedOf(file, standing) };
}

/** What a scope has shown for long enough is on record: it may have to take the place of what another scope shows. */
function isSettled(before: ContractReading, reading: ContractReading, scope: string): boolean {
  return !before.settling.includes(scope) || reading.settling.includes(scope);
}

/** Nothing should run, and this is the first report of its scope since the runtime was told that shows nothing. */
function provesAbsence(file: ServiceFile, shown: Observed, scope: string, at: number): boolean {
  const view = viewOf(file.intent, file.facts, at);
  if (view === null || (view.intent.kind !== 'teardown' && view.intent.replicas > 0)) return false;
  const told = toldMark(view);
  const isProof = ({ parts }: Observed) =>
    told !== null && parts.some((p) => p.scope === scope && isAbsentIn(p, told));
  return isProof(shown) && !isProof(file.proven.observed);
}

function judgedOf(file: ServiceFile, standing: Standing): Judged | null {
  const { active, asked } = file;
  if (active === undefined || asked === undefined) return null;
  if (asked.kind !== 'teardown' && neededCommand(asked, active) !== null) return null;
  const { attempt } = active;
  const holds = standing.state === 'running' || standing.state === 'stopped';
  // Where nothing is wanted, nothing that comes up is progress; nor is what was seen of another cluster.
  const counts = standing.reading?.wanted && standing.cause?.code !== 'identity_changed';
  const { ready, furthest } = counts && standing.reading ? standing.reading : { ready: 0, furthest: 0 };
  const known = attempt.progress === null ? knownOf(file, asked, active) : null;
  const best = attempt.progress ?? known ?? { ready: 0, furthest: 0 };
  const further = ready > best.ready || furthest > best.furthest;
  const open = attempt.settled === null && attempt.cancel === null;
  const settles = !open ? null : holds ? 'succeeded' : standing.state === 'failed' ? 'failed' : null;
  return {
    revision: active.revision,
    attempt: attempt.attempt,
    contract: holds
      ? 'held'
      : active.recorded?.absent
        ? 'contradicted'
        : standing.reading?.wanted && standing.reading.opaque !== null
          ? 'opaque'
          : 'unmet',
    progress:
      further || known !== null
        ? {
            ready: Math.max(ready, best.ready),
            furthest: Math.max(furthest, best.furthest),
            known: !further,
          }
        : null,
    settles,
    stage: settles === 'failed' ? standing.stage : null,
    cause: settles === 'failed' ? (standing.cause?.code ?? null) : null,
  };
}

/**
 * How far this attempt had come before anything was judged for it: seen before the runtime was told, or instances that
 * a `scale` keeps. It is the mark to beat. What was seen under another identity was something else, and what was seen
 * before the new one had told everything is mixed with it.
 */
function knownOf({ proven, liveness }: ServiceFile, asked: RevisionIntent, active: RevisionFacts) {
  const { agent } = liveness;
  if (agent !== null && proven.observed.parts.some((part) => !isOfIdentity(part, agent))) return null;
  const { ready, furthest, wanted } = readContract(asked, active, proven.observed);
  return wanted === 0 || furthest === 0 ? null : { ready, furthest };
}

function isOfIdentity({ epoch, completeMark }: ObservedPart, agent: AgentLiveness): boolean {
  if (compareDigits(epoch, agent.identityEpoch) < 0) return false;
  return !agent.identityChanged || (completeMark?.at ?? 0) >= agent.identitySince;
}
