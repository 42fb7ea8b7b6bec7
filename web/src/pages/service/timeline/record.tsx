import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { TransitionView } from '../../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../../src/contract/claim.ts';
import { observedOf, recordAbout } from '../../../../../src/contract/presentation/record-name.ts';
import { clockTime, dayBefore, preciseTime, span } from '../../../../../src/contract/presentation/times.ts';
import { get } from '../../../api.ts';
import { Icon } from '../../../parts/icon.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { Changes } from './changes.tsx';
import { CitedBy } from './cited-by.tsx';
import type { EvidencePiece } from './pieces.ts';
import { RecordVerdict } from './record-verdict.tsx';
import { renewedBy } from './renewed.ts';

interface Props {
  readonly service: string;
  readonly piece: EvidencePiece;
  readonly transitions: readonly TransitionView[];
  readonly count: string;
  readonly claim: Claim;
  /** The last report of its target that the claim counts. */
  readonly reportedAt: number;
  readonly now: number;
  readonly withFocus: boolean;
  /** The page was opened with the address of this record. */
  readonly isSent: boolean;
  readonly go: (at: string) => void;
  readonly onStep: (by: 1 | -1) => void;
  readonly onShowCited: () => void;
  readonly onClose: () => void;
}

/** The model's descriptions of kinds and reasons that are shown here. */
interface Meanings {
  readonly kinds: readonly { readonly kind: string; readonly proves: string }[];
  readonly reasons: readonly { readonly reason: string; readonly when: string; readonly advice: string }[];
}

/** Longer bodies are cut: nobody reads more, and drawing it would be slow. */
const BODY_LETTERS = 20_000;

/** One record: its content, its verdict, the transitions it caused, and the claims that cite it. */
export function Record(props: Props) {
  const { service, piece, transitions, count, claim, reportedAt, now, withFocus, isSent, go } = props;
  const { onStep, onShowCited, onClose } = props;
  const { evidence, ms, isRejected, proved, ranOut } = piece;
  const { id, kind, source, position, command, fence, reason, body } = evidence;
  const { claim: sight, reportedAt: heardAt } = useSightOf(id, claim, reportedAt);
  const renewedAt = renewedBy(evidence, sight.proof.evidence, heardAt);
  const meanings = useQuery({
    queryKey: ['model'],
    queryFn: ({ signal }) => get<Meanings>('/v1/model', signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const meaning = meanings.data?.kinds.find((one) => one.kind === kind);
  const why = meanings.data?.reasons.find((one) => one.reason === reason);
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
  const rests = sight.proof.evidence.length;
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
        {isRejected
          ? why !== undefined && `Kept as history only. ${why.when} ${why.advice}`
          : meaning?.proves}
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
      {isRejected && meaning !== undefined && (
        <p className="soft">Admitted, it would have proved: {meaning.proves}</p>
      )}
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
      <CitedBy service={service} piece={piece} claim={sight} transitions={transitions} now={now} go={go} />
      <h4>The claim in sight at {clockTime(sight.now)}</h4>
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

/**
 * The claim when the record was opened. A claim that rests on reports cites another one with each of them: what is said of
 * the record would change while it is read.
 */
function useSightOf(id: string, claim: Claim, reportedAt: number) {
  const [sight, setSight] = useState({ id, claim, reportedAt });
  if (sight.id === id && sight.claim.service === claim.service) return sight;
  const next = { id, claim, reportedAt };
  setSight(next);
  return next;
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
