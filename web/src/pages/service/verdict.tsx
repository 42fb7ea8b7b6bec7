import '../../styles/verdict.css';
import type { ReactNode } from 'react';
import {
  nothingServesNow,
  serverNowOf,
  servingNow,
  silenceMs,
} from '../../../../src/contract/presentation/server-contact.ts';
import { ago, before, clockTime, dayBefore, longSpan } from '../../../../src/contract/presentation/times.ts';
import { pastVerdictOf, verdictOf } from '../../../../src/contract/presentation/verdict.ts';
import { shortWordOf } from '../../../../src/contract/presentation/words.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import { useNow, useView } from '../../live/live.ts';
import { DatedText, momentsOf } from '../../parts/dated-text.tsx';
import { Moment } from '../../parts/moment.tsx';
import type { HeldState } from '../../parts/ribbon/holding.ts';
import { StateMark } from '../../parts/state-mark.tsx';
import type { DatedClaim } from './dated-claim.ts';

interface Props {
  readonly dated: DatedClaim;
  readonly claimView: ClaimView;
  /** A sentence that says the cause more exactly than the claim does; null: there is none. */
  readonly exactly: string | null;
  /** Since when the state is known to hold, where a silence interrupted it. */
  readonly held: HeldState | null;
  /** Counts the exits of the wanted revision's instances, by the list of them. */
  readonly exits: number;
  readonly children: ReactNode;
}

/** The revision that is proven to serve at the shown instant; null where none is. */
export function provenServing({ claim, contact, now }: DatedClaim, { isLive }: ClaimView): number | null {
  const { serving, service } = claim;
  if (serving === null || !isLive) return null;
  return servingNow(contact, service, serving, now).isFresh ? serving.revision : null;
}

/** The claim in one sentence, as the title of the page; below it what it rests on. */
export function Verdict({ dated, claimView, exactly, held, exits, children }: Props) {
  const { claim, contact, now } = dated;
  const serverNow = serverNowOf(contact, now);
  const silentMs = silenceMs(contact, now);
  const { was } = claimView;
  const today = serverNowOf(useView(), useNow());
  const sight = {
    ...{ isFresh: claimView.isLive, serving: provenServing(dated, claimView), serverNow },
    isNothingServing: nothingServesNow(contact, claim, now) !== null,
    exits,
  };
  const { title, more: said } =
    dated.at === null
      ? verdictOf(claim, { ...sight, lastProofMs: silentMs === null ? null : (was?.agoMs ?? 0) })
      : pastVerdictOf(claim, sight, today);
  const more = claimView.state === 'failed' ? (exactly ?? said) : said;
  const isLastSeen = was !== null;
  // While it is not known, the age counts from the last sight, not from the instant at which that became too old.
  // A silence that is over is no new life: the list says the same.
  const first = was !== null ? null : (held?.since ?? null);
  const since = was !== null ? serverNow - was.agoMs : (first ?? Date.parse(claim.since));
  // Without its word, the seconds of a failure would be taken for those of the exits beside it.
  const sinceWord = shortWordOf(claimView.state);
  const moments = [...momentsOf(claim), since];
  return (
    <section className={`card verdict-card verdict-${claimView.state}`} aria-label="Verdict">
      <div className="verdict">
        <span className={`tone-${claimView.state}`}>
          <StateMark state={claimView.state} />
        </span>
        <div className="sentence" aria-live="polite">
          <h2>
            <DatedText text={title} moments={moments} serverNow={serverNow} />
          </h2>
          {more !== null && (
            <p>
              <DatedText text={more} moments={moments} serverNow={serverNow} />
            </p>
          )}
        </div>
        <p className="since soft">
          <Moment at={since}>
            {!isLastSeen ? `${sinceWord} since` : silentMs === null ? 'last seen' : 'last known'}{' '}
            {dayBefore(since, serverNow)}
            {clockTime(since)}
          </Moment>
          {(dated.at === null || serverNow - since >= 1_000) && (
            <span>
              {dated.at !== null && !isLastSeen && 'for '}
              {dated.at !== null && isLastSeen
                ? before(serverNow - since)
                : ago(serverNow - since).replace(' ago', isLastSeen ? ' ago' : '')}
              {dated.at !== null && !isLastSeen && ' then'}
            </span>
          )}
          {first !== null && (
            <span className="held">not known for {longSpan(held?.unknownMs ?? 0)} of it</span>
          )}
        </p>
      </div>
      {children}
    </section>
  );
}
