import type { AttemptView, RevisionView, ServiceView } from '../answers/views.ts';
import type { Git, Stamp } from '../intent.ts';
import type { RevisionKind, Stage, State } from '../vocabulary.ts';
import { VERBS } from './author.ts';
import { span } from './times.ts';

/** The revision that a proof line is about. */
export interface RevisionSummary {
  readonly kind: RevisionKind;
  readonly actor: string;
  readonly git: Git | null;
  /** The conditions of the last state of its path, in words. */
  readonly needs: string;
  readonly build: BuildSummary;
}

/** The steps of its build, which only operators are shown, and the size of its artifact. */
export interface BuildSummary {
  readonly steps: readonly string[];
  readonly size: number | null;
}

/** The person who requested the revision, and its commit; in observe mode the tool that deployed it. */
export function requestedBy({
  kind,
  actor,
  git,
  provenance,
}: Pick<RevisionSummary, 'kind' | 'actor' | 'git'> & Partial<Pick<RevisionView, 'provenance'>>): string {
  if (provenance != null) return `deployed by ${provenance.managedBy ?? 'another tool'}`;
  const from = git === null ? '' : ` from ${commit(git)}`;
  return `${VERBS[kind]} by ${actor}${from}`;
}

export function commit({ sha, branch, dirty }: NonNullable<RevisionSummary['git']>): string {
  return `${branch === undefined ? '' : `${branch}@`}${sha.slice(0, 7)}${dirty ? ' with changes' : ''}`;
}

const STATE_OF_STAGE: Readonly<Record<Stage, State>> = {
  publish: 'accepted',
  queue: 'waiting_for_worker',
  build: 'building',
  apply_queue: 'artifact_ready',
  apply: 'applying_runtime_state',
  scheduling: 'starting',
  image: 'starting',
  start: 'starting',
  readiness: 'starting',
  route: 'starting',
  runtime: 'degraded',
  stop: 'stopping',
};

/** The time that an attempt spent in each state, from its record: a viewer who comes late has not measured it. */
export function timeSpent(stages: AttemptView['stages']): Partial<Record<State, number>> {
  const spent: Partial<Record<State, number>> = {};
  for (const { stage, ms } of stages) {
    const state = STATE_OF_STAGE[stage];
    spent[state] = (spent[state] ?? 0) + ms;
  }
  return spent;
}

export function aboutOf(
  revision: RevisionView,
  requested: Stamp,
  spec: ServiceView['spec'],
): RevisionSummary {
  const { kind, actor, git } = revision;
  return {
    kind,
    actor,
    git,
    needs: needsOf(revision, spec),
    build: buildResultOf(revision, requested),
  };
}

/** The build so far. The first message of a step names it; before step 1 the builder gets ready. */
export function buildResultOf(revision: RevisionView, { attempt }: Stamp): BuildSummary {
  const own = revision.attempts.find((record) => record.attempt === attempt)?.build ?? [];
  const steps = new Map<number, string>();
  for (const { step, message } of own)
    if (step > 0 && message !== '' && !steps.has(step)) steps.set(step, message);
  return { steps: [...steps.values()], size: revision.artifactSize ?? null };
}

function needsOf({ kind, replicas }: RevisionView, { port, stabilityMs }: ServiceView['spec']): string {
  if (kind === 'teardown') return 'needs: removed, and nothing seen after that';
  if (replicas === 0) return 'needs: no instance seen any more';
  const route = port === null ? [] : ['route answers'];
  const stable = stabilityMs === undefined ? [] : [`${span(stabilityMs).replace('.0 s', ' s')} stable`];
  return `needs: ${[`${replicas} ready`, ...route, ...stable].join(', ')}`;
}
