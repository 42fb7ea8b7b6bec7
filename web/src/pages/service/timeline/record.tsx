import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import type { TransitionView } from '../../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../../src/contract/claim.ts';
import { dayBefore, preciseTime, span } from '../../../../../src/contract/presentation/times.ts';
import { get } from '../../../api.ts';
import { Changes } from './changes.tsx';
import { CitedBy } from './cited-by.tsx';
import type { EvidencePiece } from './pieces.ts';

interface Props {
  readonly service: string;
  readonly piece: EvidencePiece;
  readonly transitions: readonly TransitionView[];
  readonly count: string;
  readonly claim: Claim;
  readonly now: number;
  readonly withFocus: boolean;
  /** The page was opened with the address of this record. */
  readonly isSent: boolean;
  readonly go: (at: string) => void;
  readonly onStep: (by: 1 | -1) => void;
  readonly onClose: () => void;
}

/** The model's descriptions of kinds and reasons that are shown here. */
interface Meanings {
  readonly kinds: readonly { readonly kind: string; readonly proves: string }[];
  readonly reasons: readonly { readonly reason: string; readonly when: string; readonly advice: string }[];
}

/** Longer bodies are cut: nobody reads more, and drawing it would be slow. */
const BODY_LETTERS = 20_000;

/** One record: its content, its verdict, and the transitions it caused. */
export function Record({
  service,
  piece,
  transitions,
  count,
  claim,
  now,
  withFocus,
  isSent,
  go,
  onStep,
  onClose,
}: Props) {
  const { evidence, ms, isRejected, proved, ranOut } = piece;
  const { id, kind, source, position, revision, attempt, command, fence, observedAt, reason, body } =
    evidence;
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
    if (isSent) panel.current?.scrollIntoView({ block: 'center' });
  }, [isSent]);
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    onClose();
  };
  const text = JSON.stringify(body, null, 2) ?? 'null';
  const skew = observedAt === null ? null : ms - Date.parse(observedAt);
  return (
    <section ref={panel} className="record" aria-label={`Record ${kind}`} tabIndex={-1} onKeyDown={onKey}>
      <header>
        <h3 className="mono">{kind}</h3>
        <span className={isRejected ? 'verdict rejected' : 'verdict'}>
          {isRejected ? `○ rejected: ${reason ?? ''}` : '● admitted'}
        </span>
        <span className="soft">{count}</span>
        <span className="spread" />
        <button type="button" onClick={() => onStep(-1)}>
          Earlier
        </button>
        <button type="button" onClick={() => onStep(1)}>
          Later
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </header>
      {why !== undefined && (
        <p className="why-rejected">
          Kept as history only. {why.when} {why.advice}
        </p>
      )}
      {meaning !== undefined && (
        <p className={isRejected ? 'soft' : ''}>
          {isRejected && 'Admitted, it would have proved: '}
          {meaning.proves}
        </p>
      )}
      <dl className="facts">
        <Fact name="Source">
          {source.role} {source.name} <span className="soft mono">{source.instance}</span>
        </Fact>
        <Fact name="Received">
          <time dateTime={evidence.receivedAt} className="mono">
            {dayBefore(ms, now)}
            {preciseTime(ms)}
          </time>
        </Fact>
        <Fact name="Observed">
          {observedAt === null || skew === null || Number.isNaN(skew) ? (
            (observedAt ?? 'not said')
          ) : (
            <>
              <span className="mono">{preciseTime(observedAt)}</span>{' '}
              <span className="soft">
                {skew < 0 ? `${span(-skew)} ahead of receipt` : `${span(skew)} before receipt`}, by the
                sender’s clock
              </span>
            </>
          )}
        </Fact>
        <Fact name="About">
          {revision === null ? '–' : `r${revision} · attempt ${attempt ?? '–'}`}
          {command !== null && <span className="soft mono"> {command}</span>}
        </Fact>
        <Fact name="Fence">{fence ?? 'none'}</Fact>
        <Fact name="Position">
          {position} <span className="soft mono">{id}</span>
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
        <Fact name="Cited by">
          <CitedBy service={service} piece={piece} claim={claim} transitions={transitions} go={go} />
        </Fact>
      </dl>
      <h4>Body</h4>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      <pre tabIndex={0}>
        {text.slice(0, BODY_LETTERS)}
        {text.length > BODY_LETTERS && `\n… ${text.length - BODY_LETTERS} letters more`}
      </pre>
    </section>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
