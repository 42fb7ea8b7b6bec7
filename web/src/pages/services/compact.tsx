import '../../styles/compact.css';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { groupTitle, type ListLine } from './attention.ts';
import { isDown } from './down.ts';
import { Silence } from './list-lines.tsx';
import { RowRibbon } from './row-ribbon.tsx';
import { type ListSight, nextOf, readyCountOf, whyOf } from './row-words.ts';
import {
  EvidenceAge,
  Ready,
  ReadyOfOne,
  Requested,
  Revisions,
  RowSince,
  RowState,
  ServiceLink,
} from './service-cells.tsx';
import { useRowKeys } from './use-row-keys.ts';

const HEIGHTS = { heading: 26, silence: 40, service: 24, calm: 24 } as const;

type ServiceLine = Extract<ListLine, { kind: 'service' }>;
/** Calm services stand beside each other, several in a line. */
type CompactLine =
  | Exclude<ListLine, { kind: 'service' }>
  | ServiceLine
  | { readonly kind: 'calm'; readonly services: readonly ServiceLine[] };

interface Props {
  readonly lines: readonly ListLine[];
  readonly sight: ListSight;
}

/** Every service in one narrow line, calm ones side by side; only visible lines are drawn. */
export function Compact({ lines, sight }: Props) {
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop((body.current?.getBoundingClientRect().top ?? 0) + scrollY));
  const folded = foldedLines(lines, useCalmColumns());
  const windowed = useWindowVirtualizer({
    count: folded.length,
    estimateSize: (i) => HEIGHTS[folded[i]?.kind ?? 'service'],
    overscan: 12,
    scrollMargin: top,
    indexAttribute: 'data-line',
  });
  const refs = lines.flatMap((line) => (line.kind === 'service' ? line.row.ref : []));
  const at = useRowKeys(
    refs,
    (index) => windowed.scrollToIndex(folded.findIndex((line) => holds(line, index))),
    sight.serverNow,
  );
  return (
    <div ref={body} className="compact" style={{ height: windowed.getTotalSize() }}>
      {windowed.getVirtualItems().map(({ index, start, key }) => {
        const line = folded[index];
        if (line === undefined) return null;
        return (
          <div
            key={key}
            ref={windowed.measureElement}
            data-line={index}
            className={`compact-line of-${line.kind}`}
            style={{ transform: `translateY(${start - windowed.options.scrollMargin}px)` }}
          >
            <CompactContent line={line} at={at} sight={sight} />
          </div>
        );
      })}
    </div>
  );
}

interface CompactContentProps {
  readonly line: CompactLine;
  readonly at: number;
  readonly sight: ListSight;
}

function CompactContent({ line, at, sight }: CompactContentProps) {
  switch (line.kind) {
    case 'heading':
      return (
        <h2 data-heading={line.group}>
          {groupTitle(line.group, sight.mayOnlyRead)}{' '}
          <span className="soft">{line.count.toLocaleString('en')}</span>{' '}
          {line.down !== '' && <span className="down tone-failed">{line.down}</span>}
        </h2>
      );
    case 'silence':
      return <Silence target={line.target} count={line.count} serverNow={sight.serverNow} />;
    case 'service':
      return <CompactRow line={line} isAt={line.index === at} sight={sight} />;
    case 'calm':
      return line.services.map((service) => (
        <CalmService
          key={service.row.ref}
          line={service}
          isAt={service.index === at}
          serverNow={sight.serverNow}
        />
      ));
  }
}

interface CompactRowProps {
  readonly line: ServiceLine;
  readonly isAt: boolean;
}

function CompactRow({ line, isAt, sight }: CompactRowProps & { readonly sight: ListSight }) {
  const { row, index } = line;
  const { item } = row;
  return (
    <div
      className="compact-row"
      data-down={isDown(row)}
      data-service={row.ref}
      data-index={index}
      data-at={isAt}
    >
      <RowState row={row} />
      <span className="soft">
        <RowSince row={row} serverNow={sight.serverNow} />
      </span>
      <ServiceLink row={row} />
      <Revisions row={row} />
      <Requested row={row} serverNow={sight.serverNow} />
      <span className="cut">
        {whyOf(row, sight)}
        {item.failingLine !== null && <span className="mono soft"> {item.failingLine}</span>}
      </span>
      <RowRibbon row={row} serverNow={sight.serverNow} />
      <ReadyOfOne row={row} count={readyCountOf(row)} isNarrow />
      <EvidenceAge row={row} />
      <span className="cut">
        <b>{nextOf(row, sight)?.who}</b>
      </span>
    </div>
  );
}

function CalmService({ line, isAt, serverNow }: CompactRowProps & { readonly serverNow: number }) {
  const { row, index } = line;
  return (
    <div className="calm-service" data-service={row.ref} data-index={index} data-at={isAt}>
      <RowState row={row} />
      <ServiceLink row={row} withApp={false} />
      <Revisions row={row} />
      <RowRibbon row={row} serverNow={serverNow} />
      <Ready count={readyCountOf(row)} />
      <EvidenceAge row={row} />
    </div>
  );
}

const holds = (line: CompactLine, index: number): boolean =>
  line.kind === 'service'
    ? line.index === index
    : line.kind === 'calm' && line.services.some((service) => service.index === index);

/** Puts as many running services into a line as have room there. */
function foldedLines(lines: readonly ListLine[], columns: number): readonly CompactLine[] {
  const folded: CompactLine[] = [];
  for (const line of lines) {
    const last = folded.at(-1);
    if (line.kind !== 'service' || line.group !== 'running') folded.push(line);
    else if (last?.kind === 'calm' && last.services.length < columns)
      folded[folded.length - 1] = { kind: 'calm', services: [...last.services, line] };
    else folded.push({ kind: 'calm', services: [line] });
  }
  return folded;
}

/** As many columns as the window has room for; the style sheet has the same widths. */
function useCalmColumns(): number {
  return useSyncExternalStore(
    (listener) => {
      addEventListener('resize', listener);
      return () => removeEventListener('resize', listener);
    },
    () => (innerWidth >= 1200 ? 3 : innerWidth >= 800 ? 2 : 1),
  );
}
