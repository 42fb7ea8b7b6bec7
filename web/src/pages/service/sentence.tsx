import type { RevisionView } from '../../../../src/contract/answers/views.ts';
import { requestedBy } from '../../../../src/contract/presentation/about.ts';
import { titleAndMore } from '../../../../src/contract/presentation/moves.ts';
import { serverNowOf, silenceMs } from '../../../../src/contract/presentation/server-contact.ts';
import { ago } from '../../../../src/contract/presentation/times.ts';
import { lastKnownSentence } from '../../../../src/contract/presentation/words.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import type { DatedClaim } from './dated-claim.ts';

interface Props {
  readonly dated: DatedClaim;
  readonly claimView: ClaimView;
  readonly revision: RevisionView | null;
  readonly urls: readonly string[];
}

/** The claim in a sentence, with the revision it is about. */
export function Sentence({ dated, claimView, revision, urls }: Props) {
  const { claim, contact, now } = dated;
  const { desired, serving, lastServing, operator } = claim;
  const isStale = !claimView.isLive && claimView.was !== null && claim.state !== 'unknown';
  const stillServes = serving !== null && serving.revision !== desired.revision && claimView.isLive;
  const from = silenceMs(contact, now) === null ? 'the platform' : 'this page';
  return (
    <>
      <p className="sentence" aria-live="polite">
        {isStale && claimView.was !== null
          ? lastKnownSentence(claimView.was.state, from)
          : titleAndMore(claim, serverNowOf(contact, now))}
        {stillServes && ` Revision ${serving.revision} still serves.`}
        {lastServing !== null &&
          lastServing.revision !== desired.revision &&
          ` Revision ${lastServing.revision} was serving when last seen, ${ago(serverNowOf(contact, now) - Date.parse(lastServing.asOf))}.`}
      </p>
      <p className="soft about">
        r{desired.revision} · attempt {desired.attempt}
        {revision !== null && ` · ${requestedBy(revision)}`}
        {revision?.git?.message && ` “${revision.git.message.split('\n')[0]}”`}
        {urls.map((url) => (
          <a key={url} href={url} target="_blank" rel="noreferrer">
            {url.replace(/^https?:\/\//, '').replace(/\/$/, '')}
          </a>
        ))}
      </p>
      {operator !== undefined && (
        <p className="soft about mono operator">
          {claimView.isLive ? '' : 'last known: '}
          {operator.text} · stage {operator.stage ?? '–'} · fence {operator.fence ?? '–'} ·{' '}
          {operator.rejected} rejected
        </p>
      )}
    </>
  );
}
