import '../../styles/verdict.css';
import type { ReactNode } from 'react';
import {
  nothingServesNow,
  serverNowOf,
  servingNow,
  silenceMs,
} from '../../../../src/contract/presentation/server-contact.ts';
import { ago, before, clockTime, dayBefore } from '../../../../src/contract/presentation/times.ts';
import { pastVerdictOf, verdictOf } from '../../../../src/contract/presentation/verdict.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import { useNow, useView } from '../../live/live.ts';
import { DatedText, momentsOf } from '../../parts/dated-text.tsx';
import { Moment } from '../../parts/moment.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import type { DatedClaim } from './dated-claim.ts';

interface Props {
  readonly dated: DatedClaim;
  readonly claimView: ClaimView;
  /** A sentence that says the cause more exactly than the claim does; null: there is none. */
  readonly exactly: string | null;
  readonly children: ReactNode;
}

/** The revision that is proven to serve at the shown instant; null where none is. */
export function provenServing({ claim, contact, now }: DatedClaim, { isLive }: ClaimView): number | null {
  const { serving, service } = claim;
  if (serving === null || !isLive) return null;
  return servingNow(contact, service, serving, now).isFresh ? serving.revision : null;
}

/** The claim in one sentence, as the title of the page; below it what it rests on. */
export function Verdict({ dated, claimView, exactly, children }: Props) {
  const { claim, contact, now } = dated;
  const serverNow = serverNowOf(contact, now);
  const silentMs = silenceMs(contact, now);
  const today = serverNowOf(useView(), useNow());
  const sight = {
    ...{ isFresh: claimView.isLive, serving: provenServing(dated, claimView), serverNow },
    isNothingServing: nothingServesNow(contact, claim, now) !== null,
  };
  const { title, more: said } =
    dated.at === null ? verdictOf(claim, { ...sight, silentMs }) : pastVerdictOf(claim, sight, today);
  const more = claimView.state === 'failed' ? (exactly ?? said) : said;
  const { was } = claimView;
  const isLastSeen = silentMs === null && was !== null;
  // While it is not known, the age counts from the last sight, not from the instant at which that became too old.
  const since =
    silentMs !== null ? serverNow - silentMs : was !== null ? serverNow - was.agoMs : Date.parse(claim.since);
  return (
    <section className={`card verdict-card verdict-${claimView.state}`} aria-label="Verdict">
      <div className="verdict">
        <span className={`tone-${claimView.state}`}>
          <StateMark state={claimView.state} />
        </span>
        <div className="sentence" aria-live="polite">
          <h2>
            <DatedText text={title} moments={momentsOf(claim)} serverNow={serverNow} />
          </h2>
          {more !== null && (
            <p>
              <DatedText text={more} moments={momentsOf(claim)} serverNow={serverNow} />
            </p>
          )}
        </div>
        <p className="since soft">
          <Moment at={since}>
            {silentMs !== null ? 'last word' : isLastSeen ? 'last seen' : 'since'}{' '}
            {dayBefore(since, serverNow)}
            {clockTime(since)}
          </Moment>
          {(dated.at === null || serverNow - since >= 1_000) && (
            <span>
              {dated.at !== null && !isLastSeen && 'for '}
              {dated.at !== null && isLastSeen
                ? before(serverNow - since)
                : ago(serverNow - since).replace(' ago', silentMs === null && !isLastSeen ? '' : ' ago')}
              {dated.at !== null && !isLastSeen && ' then'}
            </span>
          )}
        </p>
      </div>
      {children}
    </section>
  );
}
