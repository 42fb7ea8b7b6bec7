import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import type { Claim } from '../../../../../src/contract/claim.ts';
import { observedOf, recordAbout } from '../../../../../src/contract/presentation/record-name.ts';
import { clockTime, dayBefore, preciseTime, span } from '../../../../../src/contract/presentation/times.ts';
import { Icon } from '../../../parts/icon.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { Changes } from './changes.tsx';
import type { EvidencePiece } from './pieces.ts';
import { RecordVerdict } from './record-verdict.tsx';

interface Props {
  readonly piece: EvidencePiece;
  readonly count: string;
  /** What a record of this kind proves; undefined until it is read. */
  readonly proves: string | undefined;
  /** Why it was refused, in the words of the model. */
  readonly why: { readonly when: string; readonly advice: string } | undefined;
  /** A later report said then that nothing had changed since; null: none did. */
  readonly renewedAt: number | null;
  /** The claim when the record was opened. */
  readonly claim: Claim;
  /** The claims that cite it. */
  readonly citedBy: ReactNode;
  readonly now: number;
  readonly withFocus: boolean;
  /** The page was opened with the address of this record. */
  readonly isSent: boolean;
  readonly go: (at: string) => void;
  readonly onStep: (by: 1 | -1) => void;
  readonly onShowCited: () => void;
  readonly onClose: () => void;
}

/** Longer bodies are cut: nobody reads more, and drawing it would be slow. */
const BODY_LETTERS = 20_000;

/** One record: its content, its verdict, the transitions it caused, and the claims that cite it. */
export function RecordDrawer(props: Props) {
  const { piece, count, proves, why, renewedAt, claim, citedBy, now, withFocus, isSent, go } = props;
  const { onStep, onShowCited, onClose } = props;
  const { evidence, ms, isRejected, proved, ranOut } = piece;
  const { id, kind, source, position, command, fence, body } = evidence;
  const panel = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each record that is opened by a key
  useEffect(() => {
    if (withFocus) panel.current?.focus({ preventScroll: false });
  }, [withFocus, id]);
  useEffect(() => {
    if (isSent) panel.current?.scrollIntoView({ block: 'nearest' });
  }, [isSent]);
  const onKey = (event: KeyboardEvent) => {
    // The body scrolls by the same keys.
    if (event.target instanceof Element && event.target.closest('pre') !== null && event.key !== 'Escape')
      return;
    const act = { Escape: onClose, ArrowUp: () => onStep(1), ArrowDown: () => onStep(-1) }[event.key];
    if (act === undefined) return;
    event.stopPropagation();
    event.preventDefault();
    act();
  };
  const text = JSON.stringify(body, null, 2) ?? 'null';
  const { at: observedAt, clock } = observedOf(evidence);
  const about = recordAbout(evidence);
  const skew = observedAt === null ? null : ms - Date.parse(observedAt);
  const rests = claim.proof.evidence.length;
  return (
    <section
      ref={panel}
      className="record"
      aria-label={`Record ${kind}`}
      tabIndex={-1}
      data-own-keys
      onKeyDown={onKey}
    >
      <header>
        <h3 className="mono">{kind}</h3>
        <button type="button" aria-label="Later" title="Later (↑)" onClick={() => onStep(1)}>
          <Icon name="up" />
        </button>
        <button type="button" aria-label="Earlier" title="Earlier (↓)" onClick={() => onStep(-1)}>
          <Icon name="down" />
        </button>
        <button type="button" aria-label="Close" title="Close (Esc)" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <p className={isRejected ? 'why-rejected' : ''}>
        <RecordVerdict piece={piece} />{' '}
        {isRejected ? why !== undefined && `Kept as history only. ${why.when} ${why.advice}` : proves}
      </p>
      {renewedAt !== null && (
        <p>
          The claim rests on this record, and a later report said at{' '}
          <Moment at={renewedAt}>
            {dayBefore(renewedAt, now)}
            {clockTime(renewedAt)}
          </Moment>{' '}
          that nothing had changed since. Such a report leaves no record of its own.
        </p>
      )}
      {isRejected && proves !== undefined && <p className="soft">Admitted, it would have proved: {proves}</p>}
      <dl className="record-facts">
        <Fact name="Position">
          <span className="mono">{position}</span> <span className="soft">{count}</span>
        </Fact>
        <Fact name="Received">
          <Moment at={evidence.receivedAt}>
            {dayBefore(ms, now)}
            {preciseTime(ms)}
          </Moment>{' '}
          <span className="soft">server clock</span>
        </Fact>
        {observedAt !== null && skew !== null && !Number.isNaN(skew) && (
          <Fact name="Observed">
            <Moment at={observedAt}>{preciseTime(observedAt)}</Moment>{' '}
            <span className="soft">
              {skew < 0 ? `${span(-skew)} ahead of receipt` : `${span(skew)} before receipt`}, {clock}
            </span>
          </Fact>
        )}
        <Fact name="Source">
          {source.role} {source.name} <span className="soft mono">{source.instance}</span>
        </Fact>
        {(about !== null || command !== null) && (
          <Fact name="About">
            {about}
            {command !== null && <span className="soft mono"> {command}</span>}
          </Fact>
        )}
        {fence !== null && <Fact name="Fence">{fence}</Fact>}
        <Fact name="Record">
          <span className="mono">{id}</span>
        </Fact>
        <Fact name="Proved">
          {proved.length === 0 && 'no change of the claim'}
          <Changes changes={proved} go={go} />
        </Fact>
        {ranOut.length > 0 && (
          <Fact name="Ran out">
            <Changes changes={ranOut} go={go} />
          </Fact>
        )}
      </dl>
      <h4>Body</h4>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      <pre tabIndex={0}>
        {text.slice(0, BODY_LETTERS)}
        {text.length > BODY_LETTERS && `\n… ${text.length - BODY_LETTERS} letters more`}
      </pre>
      {citedBy}
      <h4>The claim in sight at {clockTime(claim.now)}</h4>
      <p>
        rests on {rests === 1 ? '1 record' : `${rests} records`}. Replaying only those gives the same claim.
      </p>
      <p className="ways">
        <button type="button" className="link" onClick={onShowCited}>
          Show the {rests}
        </button>
        <button type="button" className="link" onClick={() => go(evidence.receivedAt)}>
          Open the page at this moment
        </button>
      </p>
    </section>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
