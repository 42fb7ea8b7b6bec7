import {
  APP_ROWS,
  findsOutWithinMs,
  isDeployedAtStart,
  isGreenJudged,
  probeWindowMs,
  refOf,
  type SoakService,
  STABILITY_MS,
} from './apps.ts';
import { ClaimPoll } from './claims/poll.ts';
import type { ClaimReading } from './claims/reading.ts';
import type { Revisions } from './claims/revisions.ts';
import { StreamWatch } from './claims/stream.ts';
import { type Bounds, type ComparedClaim, compare, isAnsweredByEnough } from './compare.ts';
import type { FleetServer } from './fleet/fleet.ts';
import type { SoakTally } from './tally.ts';
import { ASK_MS, type GroundTruth } from './truth/ground-truth.ts';
import type { OwnDelay } from './truth/own-delay.ts';

const LOOK_MS = 300;
const SLACK_MS = 1_000;

/** Everything that was shown of one service at one instant. */
interface Shown {
  readonly service: SoakService;
  readonly views: readonly ClaimReading[];
  /** For how long it has been shown, at most. */
  readonly ms: number;
  readonly at: number;
  /** The row of a nasty app; null: what befalls it belongs to the faults of the moment. */
  readonly own: string | null;
  readonly during: readonly string[];
  /** When it was last shown as unknown. */
  readonly unknownAt: number;
}

interface JudgeParts {
  readonly servers: readonly FleetServer[];
  readonly services: readonly SoakService[];
  readonly truth: GroundTruth;
  readonly revisions: Revisions;
  readonly tally: SoakTally;
  readonly own: OwnDelay;
  readonly freshForMs: number;
}

/** Reads every claim through every interface of every server, and holds it against the truth. */
export class Judge {
  readonly #parts: JudgeParts;
  readonly #polls: readonly ClaimPoll[];
  readonly #streams: readonly StreamWatch[];
  /** Not judged yet: the truth of that instant is still being found out. */
  #shown: Shown[] = [];
  readonly #unknownAt = new Map<string, number>();
  readonly #latest = new Map<string, ClaimReading>();
  readonly #beganAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #lookedAt = performance.now();

  constructor(parts: JudgeParts) {
    this.#parts = parts;
    const { servers, services, tally } = parts;
    const refs = services.map(refOf);
    const complain = (words: string) => tally.complain(tally.current.join(' + '), words);
    this.#polls = servers.map(({ part, client }) => new ClaimPoll(part.name, client, refs));
    this.#streams = servers.map(({ part, client }) => new StreamWatch(part.name, client, complain));
  }

  start(): void {
    this.#timer = setInterval(() => this.#look(performance.now()), LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const stream of this.#streams) stream.stop();
  }

  /** Services that have done for a while what was requested of them, and are not shown to (L2). */
  stuck(): readonly { readonly service: string; readonly words: string }[] {
    const judged = this.#parts.services.filter(isGreenJudged).filter(isDeployedAtStart);
    return judged.flatMap((service) => {
      const view = this.#latest.get(refOf(service));
      if (view === undefined) return [{ service: refOf(service), words: 'no claim was ever shown' }];
      const { claim } = view;
      const counted = this.#parts.revisions.countedFor(refOf(service), claim.desired.revision) ?? [];
      const truth = this.#parts.truth.samplesOf(service.name);
      const { lagMs, probeMs, stabilityMs } = this.#boundsOf(service);
      const windowMs = Math.max(stabilityMs, truth.at(-1)?.steadyAfterMs ?? 0);
      const since = performance.now() - lagMs - probeMs - windowMs;
      const wanted = { replicas: claim.desired.replicas, revisions: counted };
      const hasAnswered =
        (truth[0]?.at ?? since) < since &&
        truth.every((look) => look.at < since || isAnsweredByEnough(look, wanted));
      return hasAnswered && claim.state !== 'running'
        ? [{ service: refOf(service), words: `${claim.state}: ${claim.message.title}` }]
        : [];
    });
  }

  #boundsOf(service: SoakService): Bounds {
    const lagMs = this.#parts.freshForMs + SLACK_MS;
    const settleMs = ASK_MS + findsOutWithinMs(service) + SLACK_MS;
    return { lagMs, probeMs: probeWindowMs(service), settleMs, stabilityMs: STABILITY_MS };
  }

  #look(now: number): void {
    const ms = now - this.#lookedAt;
    this.#lookedAt = now;
    const views = [
      ...this.#polls.flatMap((poll) => poll.take()),
      ...this.#streams.flatMap((stream) => stream.view(now)),
    ];
    for (const poll of this.#polls) poll.look();
    for (const service of this.#parts.services) {
      const own = views.filter(({ claim }) => claim.service === refOf(service));
      if (own.length > 0) this.#shown.push(this.#shownOf(service, own, ms, now));
    }
    this.#judgeUpTo(now);
  }

  #shownOf(service: SoakService, views: readonly ClaimReading[], ms: number, at: number): Shown {
    const ref = refOf(service);
    for (const view of views) {
      this.#latest.set(ref, view);
      if (view.claim.state === 'unknown') this.#unknownAt.set(ref, at);
    }
    const unknownAt = this.#unknownAt.get(ref) ?? Number.NEGATIVE_INFINITY;
    const during = this.#parts.tally.current;
    return { service, views, ms, at, own: APP_ROWS[service.kind], during, unknownAt };
  }

  #judgeUpTo(now: number): void {
    const isSettled = ({ service, at }: Shown) => at + this.#boundsOf(service).settleMs <= now;
    for (const shown of this.#shown.filter(isSettled)) this.#judge(shown);
    this.#shown = this.#shown.filter((shown) => !isSettled(shown));
  }

  #judge({ service, views, ms, at, own, during, unknownAt }: Shown): void {
    const { tally } = this.#parts;
    const found = new Set<ComparedClaim>();
    for (const view of views) {
      const verdict = this.#verdictOf(service, view, unknownAt);
      tally.samples++;
      if (verdict === 'unjudged') tally.unjudged++;
      if (verdict === 'starved') tally.starved++;
      found.add(verdict);
      if (verdict === 'unjudged' || verdict === 'in_step' || verdict === 'starved') continue;
      const { claim, via } = view;
      tally.tell(
        {
          ...{ atMs: at - this.#beganAt, kind: verdict, service: refOf(service), via },
          words: `r${claim.desired.revision} ${claim.state}: ${claim.message.title} ${claim.message.body}`,
        },
        own === null ? during : [own, ...during],
      );
    }
    const isUnknown = views.some(({ claim }) => claim.state === 'unknown');
    tally.add(own === null ? during : [own], ms, found, isUnknown);
  }

  #verdictOf(service: SoakService, { claim, from, to }: ClaimReading, unknownAt: number): ComparedClaim {
    const { state, desired } = claim;
    const revisions = this.#parts.revisions.countedFor(claim.service, desired.revision);
    if (revisions === null) return 'unjudged';
    if (state !== 'stopped' && !isGreenJudged(service)) return 'in_step';
    const sample = { from, to, state, replicas: desired.replicas, unknownAt, revisions };
    const { truth, own } = this.#parts;
    return compare(sample, truth.samplesOf(service.name), this.#boundsOf(service), own.delays);
  }
}
