import { targetOf } from '../../../../src/contract/names.ts';
import { isSilentFor, serverNowOf } from '../../../../src/contract/presentation/server-contact.ts';
import { clockTime, dayBefore } from '../../../../src/contract/presentation/times.ts';
import type { State } from '../../../../src/contract/vocabulary.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import { goneOn } from '../../parts/ribbon/gone-on.ts';
import { Ribbon } from '../../parts/ribbon/ribbon.tsx';
import { ribbonSentence } from '../../parts/ribbon/ribbon-sentence.ts';
import { StateMark } from '../../parts/state-mark.tsx';
import type { DatedClaim } from './dated-claim.ts';
import { useServiceRibbon } from './ribbon-reading.ts';
import { provenServing } from './verdict.tsx';
import { DAY_MS, windowLabels, windowsOf } from './windows.ts';

interface Props {
  readonly dated: DatedClaim;
  readonly claimView: ClaimView;
  /** When the service was made; null: that cannot be read. */
  readonly createdAt: string | null;
  /** Another with each change of the claim, and with each exit. */
  readonly news: string;
}

/** The states of the last day and of the last week, and for how long they are not known; of a new service, of its life. */
export function StateOverTime({ dated, claimView, createdAt, news }: Props) {
  const { claim, contact, now } = dated;
  const serverNow = serverNowOf(contact, now);
  // What runs at a silent target is not known, however far its deploy is proven.
  const heardAt = contact.fresh[targetOf(claim.service)]?.asOf ?? claim.lastServing?.asOf;
  const isSilent = isSilentFor(contact, claim, now);
  const state = isSilent ? 'unknown' : claimView.state;
  const since =
    claimView.was !== null
      ? serverNow - claimView.was.agoMs
      : Date.parse(isSilent && heardAt !== undefined ? heardAt : claim.since);
  const serving = provenServing(dated, claimView);
  const wanted = claim.desired.revision;
  const beside = serving === null || serving === wanted ? null : { serving, wanted };
  return (
    <section className="over-time" aria-label="State over time">
      {windowsOf(createdAt === null ? null : Date.parse(createdAt), serverNow).map(({ kind, windowMs }) => (
        <Window
          key={kind}
          {...{ kind, windowMs, service: claim.service, news, state, since, serverNow, beside }}
        />
      ))}
    </section>
  );
}

const TITLES = { day: 'Last 24 hours', week: 'Last 7 days' } as const;

interface WindowProps {
  readonly kind: 'life' | 'day' | 'week';
  readonly windowMs: number;
  readonly service: string;
  readonly news: string;
  readonly state: State;
  /** Since when it is in this state; of what is not known now, the last sight of it. */
  readonly since: number;
  readonly serverNow: number;
  /** The ribbon is about what was wanted; another revision is proven to serve now. */
  readonly beside: { readonly serving: number; readonly wanted: number } | null;
}

function Window({ kind, windowMs, service, news, state, since, serverNow, beside }: WindowProps) {
  const { ribbon: read } = useServiceRibbon(service, kind === 'life' ? DAY_MS : windowMs, serverNow, news);
  const ribbon = read === undefined ? undefined : goneOn(read, { state, since }, serverNow);
  const begin = serverNow - windowMs;
  return (
    <div className="over-time-window">
      <h3>
        {kind === 'life' ? `Since ${dayBefore(begin, serverNow)}${clockTime(begin)}` : TITLES[kind]}{' '}
        <span className="soft">{ribbon === undefined ? '' : ribbonSentence(ribbon)}</span>
      </h3>
      <Ribbon ribbon={ribbon} now={state} windowMs={windowMs} />
      {beside !== null && (
        <p className="beside">
          <span className="soft">above: what was wanted, now r{beside.wanted}</span>
          <b className="tone-running">
            <StateMark state="running" />r{beside.serving} serves now
          </b>
          <i className="ribbon-cap band-running" aria-hidden="true" />
        </p>
      )}
      <p className="axis soft" aria-hidden="true">
        {windowLabels(kind, begin, serverNow).map((label, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a day's name may stand twice
          <span key={i}>{label}</span>
        ))}
        <span>now</span>
      </p>
    </div>
  );
}
