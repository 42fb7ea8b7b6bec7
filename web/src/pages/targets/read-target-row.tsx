import { useSpans } from './reading.ts';
import { TargetRow, type TargetRowProps } from './target-row.tsx';

/** A target's row with the history of its silences, which each row in sight reads for itself. */
export function ReadTargetRow(props: Omit<TargetRowProps, 'spans'>) {
  const spans = useSpans(props.row);
  return <TargetRow {...props} spans={spans.data} />;
}
