import { Suspense, useEffect, useRef } from 'react';
import { lazily } from '../../parts/lazily.ts';
import type { ListLine } from './attention.ts';
import type { LineList } from './line-list.ts';
import type { Choose, ListFilter } from './list-filter.ts';
import { ListHead } from './list-head.tsx';
import { ListRow, lineKey } from './list-lines.tsx';
import type { ListSight } from './row-words.ts';
import { useRowKeys } from './use-row-keys.ts';

/** Up to this many lines are all drawn; of more, only the visible ones. */
const FEW = 100;
const WindowedLines = lazily(() => import('./windowed-lines.tsx').then((m) => m.WindowedLines));

interface Props {
  readonly lines: readonly ListLine[];
  readonly sight: ListSight;
  readonly choice: ListFilter;
  readonly choose: Choose;
}

export function ServiceTable({ lines, sight, choice, choose }: Props) {
  const show = useRef<(index: number) => void>(() => {});
  const refs = lines.flatMap((line) => (line.kind === 'service' ? line.row.ref : []));
  const at = useRowKeys(refs, (index) => show.current(index), sight.serverNow);
  const list = { lines, at, sight, show };
  return (
    <table className="services" aria-rowcount={refs.length + 1}>
      <ListHead choice={choice} choose={choose} />
      {lines.length <= FEW ? (
        <FewLines {...list} />
      ) : (
        <Suspense fallback={<FewLines {...list} lines={lines.slice(0, FEW)} />}>
          <WindowedLines {...list} />
        </Suspense>
      )}
    </table>
  );
}

function FewLines({ lines, at, sight, show }: LineList) {
  useEffect(() => {
    show.current = (index) =>
      document.querySelector(`tr[data-index="${index}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [show]);
  return (
    <tbody>
      {lines.map((line) => (
        <ListRow key={lineKey(line)} line={line} at={at} sight={sight} />
      ))}
    </tbody>
  );
}
