import { APP_ROWS, isGreenJudged, probeWindowMs, refOf, type SoakService, STABILITY_MS } from './apps.ts';
import { ClaimPoll } from './claims/poll.ts';
import type { ClaimReading } from './claims/reading.ts';
import type { Revisions } from './claims/revisions.ts';
import { StreamWatch } from './claims/stream.ts';
import { type Bounds, type ComparedClaim, compare, isAnsweredByEnough, redLagMs } from './compare.ts';
import type { FleetServer } from './fleet/fleet.ts';
import type { SoakTally } from './tally.ts';
import type { GroundTruth } from './truth/ground-truth.ts';

const LOOK_MS = 300;
const SLACK_MS = 1_000;

interface JudgeParts {
  readonly servers: readonly FleetServer[];
  readonly services: readonly SoakService[];
  readonly truth: GroundTruth;
  readonly revisions: Revisions;
  readonly tally: SoakTally;
  readonly freshForMs: number;
}

/** Reads every claim through every interface of every server, and holds it against the truth. */
export class Judge {
  readonly #parts: JudgeParts;
  readonly #polls: readonly ClaimPoll[];
  readonly #streams: readonly StreamWatch[];
  readonly #latest = new Map<string, ClaimReading>();
  readonly #beganAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #lookedAt = performance.now();

  constructor(parts: JudgeParts) {
    this.#parts = parts;
    const { servers, services } = parts;
    const refs = services.map(refOf);
    this.#polls = servers.map(({ part, client }) => new ClaimPoll(part.name, client, refs));
    this.#streams = servers.map(({ part, client }) => new StreamWatch(part.name, client));
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
    return this.#parts.services.filter(isGreenJudged).flatMap((service) => {
      const view = this.#latest.get(refOf(service));
      if (view === undefined) return [{ service: refOf(service), words: 'no claim was ever shown' }];
      const { claim } = view;
      const counted = this.#parts.revisions.countedFor(refOf(service), claim.desired.revision) ?? [];
      const truth = this.#parts.truth.samplesOf(service.name);
      const since = performance.now() - redLagMs(truth, this.#boundsOf(service));
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
    const lagMs = this.#parts.freshForMs + SLACK_MS + probeWindowMs(service);
    return { lagMs, stabilityMs: STABILITY_MS };
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
      if (own.length > 0) this.#judge(service, own, ms, now);
    }
  }

  #judge(service: SoakService, views: readonly ClaimReading[], ms: number, now: number): void {
    const { tally } = this.#parts;
    const row = APP_ROWS[service.kind];
    const found = new Set<ComparedClaim>();
    for (const view of views) {
      this.#latest.set(refOf(service), view);
      const verdict = this.#verdictOf(service, view);
      tally.samples++;
      if (verdict === 'unjudged') tally.unjudged++;
      if (verdict === 'unjudged' || verdict === 'in_step') continue;
      found.add(verdict);
      const { claim, via } = view;
      tally.tell(
        {
          ...{ atMs: now - this.#beganAt, kind: verdict, service: refOf(service), via },
          words: `r${claim.desired.revision} ${claim.state}: ${claim.message.title}`,
        },
        row,
      );
    }
    const isUnknown = views.some(({ claim }) => claim.state === 'unknown');
    tally.add(row, ms, found, isUnknown);
  }

  #verdictOf(service: SoakService, { claim, from, to }: ClaimReading): ComparedClaim {
    const { state, desired } = claim;
    const revisions = this.#parts.revisions.countedFor(claim.service, desired.revision);
    if (revisions === null) return 'unjudged';
    if (state !== 'stopped' && !isGreenJudged(service)) return 'in_step';
    const sample = { from, to, state, replicas: desired.replicas, revisions };
    return compare(sample, this.#parts.truth.samplesOf(service.name), this.#boundsOf(service));
  }
}
