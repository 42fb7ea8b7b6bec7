import '../../styles/map.css';
import { useState } from 'react';
import { longSpan } from '../../../../src/contract/presentation/times.ts';
import { useNow, useView } from '../../live/live.ts';
import { type TargetAge, targetAges } from '../../live/target-ages.ts';
import { cellForm, mapBlocks, type TargetBlock } from './map-blocks.ts';
import { MapCells, type Pointed } from './map-cells.tsx';
import { type ListSight, whyOf } from './row-words.ts';
import type { ServiceRowView } from './rows.ts';
import { RowState } from './service-cells.tsx';

interface Props {
  readonly rows: readonly ServiceRowView[];
  readonly sight: ListSight;
}

/** One mark for each service, by target and namespace, so that thousands are seen at once. */
export function ServiceMap({ rows, sight }: Props) {
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const ages = new Map(targetAges(useView(), useNow()).map((age) => [age.target, age]));
  const row = rows.find(({ ref }) => ref === pointed?.ref);
  return (
    <div className="service-map" data-size={sizeOf(rows.length)}>
      {mapBlocks(rows).map((block) => (
        <TargetPanel key={block.target} block={block} age={ages.get(block.target)} onPoint={setPointed} />
      ))}
      {pointed !== null && row !== undefined && (
        <div className="map-tip" style={{ left: pointed.left, top: pointed.top }}>
          <p>
            <RowState row={row} />{' '}
            <span className="soft">{longSpan(sight.serverNow - Date.parse(row.claim.since))}</span>
          </p>
          <p>
            <b>{row.name}</b>
            <span className="soft">
              {row.namespace !== null && `.${row.namespace}`}@{row.target}
            </span>
          </p>
          <p>{whyOf(row, sight)}</p>
          {row.item.failingLine !== null && <p className="mono">{row.item.failingLine}</p>}
        </div>
      )}
    </div>
  );
}

/** A few are drawn large enough to read and to press; thousands as small as can still be told apart. */
const sizeOf = (count: number) => (count <= 80 ? 'large' : count <= 600 ? 'middle' : 'small');

interface PanelProps {
  readonly block: TargetBlock;
  readonly age: TargetAge | undefined;
  readonly onPoint: (pointed: Pointed | null) => void;
}

function TargetPanel({ block, age, onPoint }: PanelProps) {
  const { target, isSilent, namespaces } = block;
  return (
    <section className="map-target" data-silent={isSilent} aria-label={target}>
      <header>
        <h2>{target}</h2>
        {age !== undefined && (
          <span className={isSilent ? 'tone-unknown' : 'soft'}>
            {isSilent && 'silent '}
            {longSpan(age.agoMs)}
          </span>
        )}
      </header>
      <div className="map-namespaces">
        {namespaces.map((one) => (
          <MapCells
            key={one.namespace ?? ''}
            target={target}
            block={one}
            forms={one.rows.map(cellForm).join()}
            onPoint={onPoint}
          />
        ))}
      </div>
    </section>
  );
}
