import { compareDigits } from '../contract/digits.ts';
import type { ObservedBody } from '../contract/evidence.ts';
import type { LeftPart, Mark, Observed, ObservedPart } from './facts.ts';

/** Parts of the place that reports now, and what former places showed that is not proven gone. */
interface Aside {
  readonly parts: readonly ObservedPart[];
  readonly left: readonly LeftPart[];
}

/**
 * Moves aside what former places showed, with the first row of another place: no report of that one says anything of it
 * (F114). It ends when the same instance is seen again, when its own place reports all there is, or when that place is
 * retired. The row names the places, because fold has none.
 */
export function leftAfter({ parts, left = [] }: Observed, body: ObservedBody, mark: Mark): Aside {
  const { places = [] } = body;
  const current = places.at(-1);
  if (current === undefined && left.length === 0) return { parts, left };
  const isFormer = ({ epoch, instances }: ObservedPart) =>
    current !== undefined && instances.length > 0 && compareDigits(epoch, current.epoch) < 0;
  const identityOf = ({ epoch }: ObservedPart) =>
    places.findLast((place) => compareDigits(place.epoch, epoch) <= 0)?.identity ?? '';
  // mutant: former-place-kept
  const moved = parts.filter(isFormer).map((part): LeftPart => {
    const { scope, asOf, mark: shown } = part;
    const instances = part.instances.map(({ uid, revision, attempt, template, restarts }) => ({
      ...{ uid, revision, attempt, template, restarts },
    }));
    return {
      identity: identityOf(part),
      scope,
      asOf,
      mark: shown,
      instances,
      succeeded: false,
      evidence: [mark.id],
    };
  });
  const uids = new Set(body.instances.map(({ uid }) => uid));
  const holds = body.judged?.contract === 'held';
  const isOver = ({ identity, scope }: LeftPart) =>
    places.some((place) => place.identity === identity && place.isRetired) ||
    (identity === current?.identity &&
      body.complete &&
      !body.corrupt &&
      (body.scope === '*' || body.scope === scope));
  const after = [...left, ...moved].flatMap((part) => {
    const instances = part.instances.filter(({ uid }) => !uids.has(uid));
    if (instances.length === 0 || isOver(part)) return [];
    const succeeded = part.succeeded || holds;
    if (succeeded === part.succeeded && instances.length === part.instances.length) return [part];
    return [{ ...part, instances, succeeded, evidence: [...part.evidence, mark.id] }];
  });
  return { parts: parts.filter((part) => !isFormer(part)), left: after };
}
