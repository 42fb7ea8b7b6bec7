import '../../styles/case-file.css';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { RevisionView } from '../../../../src/contract/answers/views.ts';
import { targetOf } from '../../../../src/contract/names.ts';
import { lastProofAt, serverNowOf, silenceMs } from '../../../../src/contract/presentation/server-contact.ts';
import { certainItems, openItems, type SummaryItem } from '../../../../src/contract/presentation/summary.ts';
import { inPast, inPresent } from '../../../../src/contract/presentation/tense.ts';
import { ago, longAgo } from '../../../../src/contract/presentation/times.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import { DatedText, momentsOf } from '../../parts/dated-text.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Moment } from '../../parts/moment.tsx';
import { hasRoleAtLeast, type Session } from '../../session.ts';
import { Actions } from './actions.tsx';
import type { DatedClaim } from './dated-claim.ts';
import type { ShownFailure } from './failure.ts';
import { tabAddress } from './tabs.ts';
import { soughtName } from './timeline/sought-record.ts';

interface Props {
  readonly dated: DatedClaim;
  readonly claimView: ClaimView;
  readonly revisions: readonly RevisionView[];
  readonly session: Session;
  /** The ready copies of the revision that is proven to serve; null: not known. */
  readonly servingCopies: number | null;
  /** The failing line of its log; null where nothing is wrong. */
  readonly failure: ShownFailure | null;
  /** On whose word instances are called ready; null where nobody says. */
  readonly witnesses: string | null;
  /** The third part in the past. */
  readonly cameNext: ReactNode;
}

/** The case file: what we know, what we do not know, what is safe next, in that order; on a phone what is safe is first. */
export function CaseFile(props: Props) {
  const { dated, claimView, revisions, session, failure, witnesses, cameNext } = props;
  const { claim, contact, now } = dated;
  const serverNow = serverNowOf(contact, now);
  const mayOpen = hasRoleAtLeast(session, 'operator') && dated.at === null;
  const isPast = dated.at !== null;
  const tense = isPast ? inPast : inPresent;
  const open = openItems(claim, contact, now, failure?.output.headline ?? null, tense);
  const silentMs = silenceMs(contact, now);
  const moments = [...momentsOf(claim), ...(silentMs === null ? [] : [lastProofAt(contact, claim)])];
  const [known, unknown] = isPast
    ? ['What we knew', 'What we did not know']
    : ['What we know', 'What we do not know'];
  return (
    <div className="card case-file">
      <section aria-label={known}>
        <h2>
          <i className="swatch swatch-solid" aria-hidden="true" />
          {known}
        </h2>
        <Items
          items={[...certainItems(claim, contact, now, witnesses, tense), ...endingOf(failure)]}
          none={isPast ? 'Nothing.' : 'Nothing right now.'}
          serverNow={serverNow}
          moments={moments}
          isPast={isPast}
          addressOf={(item) => (mayOpen ? sourceOf(item, claim.service) : null)}
        />
      </section>
      <section aria-label={unknown}>
        <h2>
          <i className="swatch swatch-hatched" aria-hidden="true" />
          {unknown}
          {open.length === 0 && <span className="soft">Nothing open</span>}
        </h2>
        <Items
          items={open}
          none=""
          serverNow={serverNow}
          moments={moments}
          isPast={isPast}
          addressOf={noAddress}
        />
      </section>
      {isPast ? (
        <section aria-label="What came next" className="safe-next">
          <h2>
            <Icon name="arrow" />
            What came next
          </h2>
          {cameNext}
        </section>
      ) : (
        <Actions
          dated={dated}
          claimView={claimView}
          revisions={revisions}
          session={session}
          servingCopies={props.servingCopies}
          missing={failure?.missing ?? NONE}
        />
      )}
    </div>
  );
}

const NONE: readonly string[] = [];

const endingOf = (failure: ShownFailure | null): SummaryItem[] =>
  failure?.ending == null ? [] : [{ text: failure.ending, detail: 'by the end of its log', asOf: null }];

interface ItemsProps {
  readonly items: readonly SummaryItem[];
  readonly none: string;
  readonly serverNow: number;
  /** The moments that the sentences may name. */
  readonly moments: readonly (string | number)[];
  /** In the past an age of less than a second says nothing. */
  readonly isPast: boolean;
  /** What an age leads to; null for those who may not see it. */
  readonly addressOf: (item: SummaryItem) => string | null;
}

const noAddress = () => null;

/** The record whose age an item shows, or the target that was heard then: such a contact leaves no record. */
function sourceOf({ asOf, asOfA }: SummaryItem, service: string): string | null {
  if (asOf === null) return null;
  return asOfA === 'contact'
    ? `/targets?target=${targetOf(service)}`
    : `${tabAddress(service, 'evidence')}?record=${soughtName(asOfA ?? 'report', asOf)}`;
}

function Items({ items, none, serverNow, moments, isPast, addressOf }: ItemsProps) {
  if (items.length === 0) return none === '' ? null : <p className="soft">{none}</p>;
  return (
    <ul>
      {items.map((item) => (
        <Item key={item.text} {...{ item, serverNow, moments, isPast }} address={addressOf(item)} />
      ))}
    </ul>
  );
}

interface ItemProps extends Pick<ItemsProps, 'serverNow' | 'moments' | 'isPast'> {
  readonly item: SummaryItem;
  readonly address: string | null;
}

function Item({ item, serverNow, moments, isPast, address }: ItemProps) {
  const { text, detail, asOf } = item;
  return (
    <li>
      <span>
        <DatedText text={text} moments={moments} serverNow={serverNow} />
        {detail !== null && (
          <small>
            <DatedText text={detail} moments={moments} serverNow={serverNow} />
          </small>
        )}
      </span>
      {asOf !== null && !(isPast && serverNow - asOf < 1_000) && (
        <Age at={asOf} isLast={item.isLast === true} {...{ serverNow, isPast, address }} />
      )}
    </li>
  );
}

interface AgeProps {
  readonly at: number;
  readonly serverNow: number;
  readonly isLast: boolean;
  readonly isPast: boolean;
  readonly address: string | null;
}

function Age({ at, serverNow, isLast, isPast, address }: AgeProps) {
  // What was last known is as old as the rest of the page says, to the second.
  const text = (isLast ? ago : longAgo)(serverNow - at).replace(' ago', isPast ? ' before' : '');
  const shown = <Moment at={at}>{text}</Moment>;
  const tone = isLast ? 'tone-unknown' : '';
  if (address === null) return <span className={`age ${tone}`}>{shown}</span>;
  return (
    <Link href={address} className={`age ${tone}`} aria-label={`${text} ago, open what shows it`}>
      {shown}
    </Link>
  );
}
