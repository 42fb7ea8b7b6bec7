import type { Claim } from '../contract/claim.ts';
import type { RevisionIntent } from '../contract/intent.ts';
import type { CommandKind, State } from '../contract/vocabulary.ts';
import { citedEvidence } from './cited.ts';
import type { AgentLiveness, Facts, Proven, RevisionFacts, ServedRevision } from './facts.ts';
import { orderEvidence } from './serving.ts';
import type { Standing } from './standing.ts';
import { commandOf, pathOf } from './workload.ts';

/**
 * The part of its path that a revision is proven to have passed, and the state at which it ends. While the
 * state lies on the path, the proof ends with it: requeued work ends where it waits, not where it once was.
 * Elsewhere (`failed`, `unknown`, `cancelled`, …) it ends with the last state that facts prove.
 */
export function proofOf(
  intent: RevisionIntent,
  revision: RevisionFacts,
  { proven, liveness: { agent } }: Facts,
  standing: Standing,
  shown: ShownServing,
): Pick<Claim, 'proof' | 'path'> {
  // In observe mode another tool decides how many are wanted, and so whether the path ends in `stopped`.
  const path = pathOf({ ...intent, replicas: standing.reading?.wanted ?? intent.replicas }, revision);
  const onPath = path.indexOf(standing.state);
  const unproven = path.findIndex((state) => !isProven(state, intent, revision, standing));
  const reached = path.slice(0, onPath >= 0 ? onPath + 1 : unproven < 0 ? path.length : unproven);
  const arrived = standing.state === 'running' || standing.state === 'stopped';
  const current = Math.max(0, reached.length - 1);
  return {
    proof: {
      reached,
      stoppedAt: arrived ? null : (reached.at(-1) ?? null),
      evidence: [
        ...new Set([
          ...servedEvidence(proven, shown),
          ...citedEvidence(revision, proven, standing),
          ...otherCluster(agent, standing),
        ]),
      ],
    },
    path: path.map((state, i) => ({ state, reached: i < reached.length, current: i === current })),
  };
}

/** The revision that served last, and whether reports show, fresh or not, that nothing serves. */
interface ShownServing {
  readonly served: ServedRevision | null;
  readonly isNothing: boolean;
}

/**
 * The rows that `serving`, `lastServing` and `nothingServes` rest on: the one that says what served, and the newest of each
 * scope, which shows no end, or that nothing is ready.
 */
function servedEvidence(proven: Proven, { served, isNothing }: ShownServing): readonly string[] {
  if (served === null && !isNothing) return [];
  const { parts, left = [] } = proven.observed;
  const aside = left.flatMap(({ mark, evidence }) => [mark.id, ...evidence]);
  const newest = parts.flatMap(({ mark, completeMark }) =>
    completeMark === null ? [mark.id] : [completeMark.id, mark.id],
  );
  if (served === null) return [...aside, ...newest];
  return [
    ...aside,
    ...(served.evidence === '' ? [] : [served.evidence]),
    ...orderEvidence(served, proven),
    ...newest,
  ];
}

/** The registration that brought another cluster, as long as none came after it. */
function otherCluster(agent: AgentLiveness | null, { cause }: Standing): readonly string[] {
  if (cause?.code !== 'identity_changed' || agent === null) return [];
  return agent.epoch === agent.identityEpoch ? [agent.evidence] : [];
}

function isProven(
  state: State,
  intent: RevisionIntent,
  revision: RevisionFacts,
  standing: Standing,
): boolean {
  const { attempt } = revision;
  switch (state) {
    case 'accepted':
    case 'stopping':
      return revision.recorded !== null;
    case 'waiting_for_worker':
      return isPublished(revision, intent.origin.kind === 'image' ? 'apply' : 'build');
    case 'building':
      return wasOwned(revision, 'build') || revision.artifact !== null;
    case 'artifact_ready':
      // An attempt that starts with its artifact is only accepted until its apply is published.
      return (
        (revision.artifact !== null && commandOf(attempt, 'build') !== null) || isPublished(revision, 'apply')
      );
    case 'applying_runtime_state':
      return wasOwned(revision, 'apply') || attempt.applied !== null;
    case 'starting':
      return (
        attempt.applied !== null || (intent.origin.kind === 'observe' && wasObserved(revision, standing))
      );
    case 'running':
    case 'stopped':
      return attempt.held !== null || standing.lastKnown?.state === state;
    default:
      return false;
  }
}

function isPublished(revision: RevisionFacts, kind: CommandKind): boolean {
  const command = commandOf(revision.attempt, kind);
  return command !== null && (command.published !== null || command.leases.length > 0);
}

function wasOwned(revision: RevisionFacts, kind: CommandKind): boolean {
  return commandOf(revision.attempt, kind)?.leases.some((l) => l.acknowledged !== null) ?? false;
}

/** In observe mode there is no apply: the first fresh observation starts the attempt. */
function wasObserved(revision: RevisionFacts, standing: Standing): boolean {
  return standing.state !== 'unknown' || standing.lastKnown !== null || revision.attempt.held !== null;
}
