import type { OperatorDetail } from '../../../../src/contract/claim.ts';
import { clockTime } from '../../../../src/contract/presentation/times.ts';
import { DatedText } from '../../parts/dated-text.tsx';

interface Props {
  readonly operator: OperatorDetail;
  /** The head of the judgement, which says of when it is. */
  readonly judged: string;
}

/** Facts that only operators are shown, in names of the model; folded, because they answer no first question. */
export function OperatorDetails({ operator, judged }: Props) {
  const { text, stage, attempt, fence, holder, holderLastHeardAt, rejected, lastEvidence, correlation } =
    operator;
  const facts: readonly (readonly [string, string])[] = [
    [judged, text],
    ['Stage', stage ?? 'none'],
    ['Attempt', String(attempt)],
    ['Fence', fence ?? 'none'],
    ['Holder', holder ?? 'nobody'],
    ...(holderLastHeardAt === null ? [] : ([['Holder heard', clockTime(holderLastHeardAt)]] as const)),
    ['Rejected', String(rejected)],
    ...(lastEvidence === null
      ? []
      : ([['Last evidence', `${lastEvidence.kind}, ${clockTime(lastEvidence.at)}`]] as const)),
    ['Correlation', correlation],
  ];
  const moments = [holderLastHeardAt ?? [], lastEvidence?.at ?? []].flat();
  return (
    <details className="operator">
      <summary>Operator details</summary>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="mono">
              <DatedText text={value} moments={moments} serverNow={null} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
