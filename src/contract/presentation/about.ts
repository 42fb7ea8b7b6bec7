import type { AttemptView, RevisionView, ServiceView } from '../answers/views.ts';
import type { Git, Stamp } from '../intent.ts';
import type { RevisionKind, Stage, State } from '../vocabulary.ts';
import { span } from './times.ts';

/** What was asked for, as far as the proof line tells it. */
export interface About {
  readonly kind: RevisionKind;
  readonly actor: string;
  readonly git: Git | null;
  /** What its last state needs, in words. */
  readonly needs: string;
  readonly made: Made;
}

/** What its builder did, as far as operators are told, and how many bytes came of it. */
export interface Made {
  readonly steps: readonly string[];
  readonly size: number | null;
}

const VERBS: Readonly<Record<RevisionKind, string>> = {
  deploy: 'deployed',
  rollback: 'rolled back',
  restart: 'restarted',
  scale: 'scaled',
  config: 'configured',
  teardown: 'torn down',
  observed: 'observed',
};

/** Who asked for it, and from which commit. */
export function askedBy({ kind, actor, git }: Pick<About, 'kind' | 'actor' | 'git'>): string {
  const from = git === null ? '' : ` from ${commit(git)}`;
  return `${VERBS[kind]} by ${actor}${from}`;
}

export function commit({ sha, branch, dirty }: NonNullable<About['git']>): string {
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

/** Time that the attempt spent in each state, from its record: for who comes late. */
export function spentBefore(stages: AttemptView['stages']): Partial<Record<State, number>> {
  const spent: Partial<Record<State, number>> = {};
  for (const { stage, ms } of stages) {
    const state = STATE_OF_STAGE[stage];
    spent[state] = (spent[state] ?? 0) + ms;
  }
  return spent;
}

export function aboutOf(revision: RevisionView, asked: Stamp, spec: ServiceView['spec']): About {
  const { kind, actor, git } = revision;
  return {
    kind,
    actor,
    git,
    needs: needsOf(revision, spec),
    made: madeOf(revision, asked),
  };
}

/** What was made of the source so far. A step's first word is what it does; before step 1 the builder gets ready. */
export function madeOf(revision: RevisionView, { attempt }: Stamp): Made {
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
