import type {
  EvidenceView,
  LeaseView,
  SpanView,
  TransitionView,
} from '../../../../../src/contract/answers/views.ts';
import { ROLES, type Role } from '../../../../../src/contract/vocabulary.ts';
import { type ServedStretch, servedStretches } from './served.ts';

/** One piece of evidence at the time the server received it, from which on it counts. */
export interface EvidencePiece {
  readonly evidence: EvidenceView;
  readonly ms: number;
  readonly role: Role;
  readonly isRejected: boolean;
  /** The transitions that it caused. */
  readonly proved: readonly TransitionView[];
  /** The transitions that time alone caused, when this evidence expired. */
  readonly ranOut: readonly TransitionView[];
}

export interface TimedLease {
  readonly lease: LeaseView;
  readonly role: Role;
  readonly granted: number;
  /** Null while it is only offered. */
  readonly acknowledged: number | null;
  /** Null while it is held. */
  readonly ended: number | null;
}

export interface AliveSpan {
  readonly span: SpanView;
  readonly from: number;
  readonly until: number;
}

/** Everything that is drawn, in the order of time and by lane. */
export interface Story {
  readonly pieces: readonly EvidencePiece[];
  /** Indexes into `pieces` for each lane. */
  readonly lanes: readonly RoleLane[];
  readonly leases: readonly TimedLease[];
  readonly alive: readonly AliveSpan[];
  readonly transitions: readonly (TransitionView & { readonly ms: number })[];
  readonly served: readonly ServedStretch[];
}

export interface RoleLane {
  readonly role: Role;
  readonly admitted: readonly number[];
  readonly rejected: readonly number[];
}

/** Evidence with the transitions it caused: most of a story. */
type EvidenceStory = Pick<Story, 'pieces' | 'lanes' | 'transitions' | 'served'>;

export function evidenceStory(
  evidence: readonly EvidenceView[],
  transitions: readonly TransitionView[],
): EvidenceStory {
  const proved = byEvidence(transitions.filter(({ owner }) => owner !== 'clock'));
  const ranOut = byEvidence(transitions.filter(({ owner }) => owner === 'clock'));
  const lanes = ROLES.map((role) => ({ role, admitted: [] as number[], rejected: [] as number[] }));
  const laneOf = new Map(lanes.map((lane) => [lane.role, lane]));
  const pieces = evidence.map((one, i): EvidencePiece => {
    const { role } = one.source;
    const isRejected = one.verdict === 'rejected';
    laneOf.get(role)?.[isRejected ? 'rejected' : 'admitted'].push(i);
    return {
      evidence: one,
      ms: Date.parse(one.receivedAt),
      role,
      isRejected,
      // Rejected evidence caused nothing, even if it came under the id of evidence that did.
      proved: isRejected ? [] : (proved.get(one.id) ?? []),
      ranOut: isRejected ? [] : (ranOut.get(one.id) ?? []),
    };
  });
  return {
    pieces,
    lanes: lanes.filter(
      // Operators act seldom: their lane is drawn only if one did.
      ({ role, admitted, rejected }) => role !== 'operator' || admitted.length + rejected.length > 0,
    ),
    transitions: transitions.map((transition) => ({ ...transition, ms: Date.parse(transition.at) })),
    served: servedStretches(pieces),
  };
}

export const storyFrom = (
  evidence: EvidenceStory,
  leases: readonly LeaseView[],
  spans: readonly SpanView[],
): Story => ({
  ...evidence,
  leases: leases.map((lease) => ({
    lease,
    role: lease.kind === 'build' ? 'worker' : 'agent',
    granted: Date.parse(lease.grantedAt),
    acknowledged: lease.acknowledgedAt === null ? null : Date.parse(lease.acknowledgedAt),
    ended: lease.endedAt === null ? null : Date.parse(lease.endedAt),
  })),
  alive: spans.map((span) => ({ span, from: Date.parse(span.from), until: Date.parse(span.until) })),
});

function byEvidence(transitions: readonly TransitionView[]): ReadonlyMap<string, readonly TransitionView[]> {
  const found = new Map<string, TransitionView[]>();
  for (const transition of transitions) {
    const before = found.get(transition.evidence);
    if (before === undefined) found.set(transition.evidence, [transition]);
    else before.push(transition);
  }
  return found;
}

/** The index of the next or previous piece in time, in any lane. */
export const adjacentInTime = ({ pieces }: Story, i: number, by: 1 | -1): number =>
  Math.min(pieces.length - 1, Math.max(0, i + by));

/** The index of the piece in the next lane that is nearest in time; the same piece where there is none. */
export function nearestInNextLane({ pieces, lanes }: Story, i: number, by: 1 | -1): number {
  const piece = pieces[i];
  if (piece === undefined) return i;
  let lane = lanes.findIndex(({ role }) => role === piece.role);
  for (lane += by; lane >= 0 && lane < lanes.length; lane += by) {
    const all = [...(lanes[lane]?.admitted ?? []), ...(lanes[lane]?.rejected ?? [])];
    const away = (n: number) => Math.abs((pieces[n]?.ms ?? Number.POSITIVE_INFINITY) - piece.ms);
    if (all.length > 0) return all.reduce((best, n) => (away(n) < away(best) ? n : best));
  }
  return i;
}

/**
 * Extends the open liveness band to the newest contact, which may be later than the last read. A contact
 * after a silence begins a band of its own, which is still to be read (S2).
 */
export function extendLiveness(story: Story, asOf: number | null, freshForMs: number | null): Story {
  const open = story.alive.reduce<AliveSpan | null>(
    (last, one) => (last === null || one.from > last.from ? one : last),
    null,
  );
  if (open === null || asOf === null || asOf <= open.until) return story;
  if (asOf - open.until >= (freshForMs ?? 0)) return story;
  return { ...story, alive: story.alive.map((one) => (one === open ? { ...one, until: asOf } : one)) };
}
