import type { RevisionView } from '../../../../src/contract/answers/views.ts';
import { whoseMove } from '../../../../src/contract/presentation/moves.ts';
import { certainItems, openItems, type SummaryItem } from '../../../../src/contract/presentation/summary.ts';
import { STALE_MOVE } from '../../../../src/contract/presentation/words.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import type { Session } from '../../session.ts';
import { Actions } from './actions.tsx';
import type { DatedClaim } from './dated-claim.ts';

interface Props {
  readonly dated: DatedClaim;
  readonly claimView: ClaimView;
  readonly revisions: readonly RevisionView[];
  readonly session: Session;
}

/** Three boxes: what we know, what we do not know, what is safe next. */
export function SummaryBoxes({ dated, claimView, revisions, session }: Props) {
  const { claim, contact, now } = dated;
  return (
    <div className="three">
      <section className="card" aria-label="What we know">
        <h2>What we know</h2>
        <Items items={certainItems(claim, contact, now)} none="Nothing right now." />
      </section>
      <section className="card open" aria-label="What we do not know">
        <h2>What we do not know</h2>
        <Items items={openItems(claim, contact, now)} none="Nothing that matters here." />
      </section>
      <section className="card" aria-label="What is safe next">
        <h2>What is safe next</h2>
        <p className="soft">{claimView.isLive ? whoseMove(claim) : STALE_MOVE}</p>
        <Actions dated={dated} claimView={claimView} revisions={revisions} session={session} />
      </section>
    </div>
  );
}

function Items({ items, none }: { readonly items: readonly SummaryItem[]; readonly none: string }) {
  if (items.length === 0) return <p className="soft">{none}</p>;
  return (
    <ul>
      {items.map(({ text, detail }) => (
        <li key={text}>
          <b>{text}</b> {detail !== null && <span className="soft">{detail}</span>}
        </li>
      ))}
    </ul>
  );
}
