import { useId, useMemo, useRef } from 'react';
import type { Claim } from '../../../../../src/contract/claim.ts';
import { axisOf } from './axis.ts';
import {
  AXIS_PX,
  AXIS_ROOM_PX,
  GUTTER_PX,
  heightOf,
  LANES_Y,
  labelsOf,
  laneAt,
  laneY,
  SERVED_PX,
  SERVED_Y,
  STRIP_PX,
  STRIP_Y,
  segmentLabel,
} from './drawing.ts';
import { useGestures } from './gestures.ts';
import { type EvidenceMark, layOut, markAt, placeOf, RAISED_PX } from './layout.ts';
import type { Story } from './pieces.ts';
import type { TimeRange } from './time-range.ts';

interface Props {
  readonly story: Story;
  readonly claim: Claim;
  readonly range: TimeRange;
  readonly widthPx: number;
  /** The server's time; `at` is null while now is shown. */
  readonly now: number;
  readonly provenUntil: number;
  readonly at: number | null;
  readonly selected: number | null;
  readonly onMove: (by: number) => void;
  readonly onZoom: (by: number, place: number) => void;
  readonly onPoint: (mark: EvidenceMark | null) => void;
  readonly onPick: (mark: EvidenceMark | null) => void;
}

/**
 * The drawing. Solid marks are admitted evidence, hollow ones rejected, and a ring marks what the shown claim
 * cites.
 */
export function Chart({ story, claim, range, widthPx, now, provenUntil, at, selected, ...hands }: Props) {
  const inner = Math.max(80, widthPx - GUTTER_PX);
  const height = heightOf(story.lanes.length);
  const until = Math.ceil(provenUntil / 500) * 500;
  const layout = useMemo(() => layOut(story, range, inner, until), [story, range, inner, until]);
  const labels = useMemo(() => labelsOf(layout, story, inner), [layout, story, inner]);
  const cited = useMemo(() => new Set(claim.proof.evidence), [claim]);
  const x = placeOf(range, inner);
  const hatch = useId();
  const drawing = useRef<SVGSVGElement>(null);
  const under = (px: number, y: number) => markAt(layout.marks, laneAt(y), px, y - laneY(laneAt(y)));
  const gestures = useGestures(drawing, inner, {
    onMove: hands.onMove,
    onZoom: hands.onZoom,
    onPoint: (px, y) => hands.onPoint(under(px, y)),
    onPick: (px, y) => hands.onPick(under(px, y)),
  });
  const isCited = ({ pieces, isRejected }: EvidenceMark) =>
    !isRejected && pieces.some((i) => cited.has(story.pieces[i]?.evidence.id ?? ''));
  return (
    <svg className="chart" width={widthPx} height={height} aria-hidden="true">
      <defs>
        <pattern id={hatch} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="1.3" height="4" className="hatch" />
        </pattern>
      </defs>
      <text className="lane-name of-claim" x="0" y={STRIP_Y + 15}>
        Claim
      </text>
      <text className="lane-name of-claim" x="0" y={SERVED_Y + 6}>
        Serving
      </text>
      {story.lanes.map(({ role }, i) => (
        <text key={role} className="lane-name" x="0" y={laneY(i) + 4}>
          {role}
        </text>
      ))}
      <svg
        ref={drawing}
        x={GUTTER_PX}
        width={inner}
        height={height}
        className="drawing"
        role="presentation"
        {...gestures}
        onPointerLeave={() => hands.onPoint(null)}
      >
        <rect width={inner} height={height} className="ground" />
        {axisOf(range, inner, now).map(({ ms, text }) => (
          <g key={ms} transform={`translate(${x(ms)} 0)`}>
            <line y1={LANES_Y - 4} y2={height - AXIS_PX + 4} className="grid" />
            {x(ms) > AXIS_ROOM_PX && x(ms) < inner - AXIS_ROOM_PX && (
              <text y={height - 6} className="axis">
                {text}
              </text>
            )}
          </g>
        ))}
        {story.lanes.map(({ role }, i) => (
          <line key={role} x2={inner} y1={laneY(i)} y2={laneY(i)} className="lane" />
        ))}
        {layout.segments.map(({ x0, x1, state, revision, changes }) => {
          const from = Math.max(x0, -2);
          const px = Math.min(x1, inner + 2) - from;
          const name = segmentLabel(state, changes, px);
          return (
            <g key={x0} className={`segment tone-${state ?? 'stopped'}`}>
              <title>{`r${revision} ${segmentLabel(state, changes, 1e6) ?? ''}`}</title>
              <rect x={from + 0.5} y={STRIP_Y} width={Math.max(1, px - 1)} height={STRIP_PX} rx="3" />
              {state === 'unknown' && (
                <rect
                  x={from + 0.5}
                  y={STRIP_Y}
                  width={Math.max(1, px - 1)}
                  height={STRIP_PX}
                  rx="3"
                  style={{ fill: `url(#${hatch})` }}
                />
              )}
              {name !== null && (
                <text x={Math.max(from, 0) + 5} y={STRIP_Y + 15}>
                  {name}
                </text>
              )}
            </g>
          );
        })}
        {layout.served.map(({ x0, x1, revision }) => (
          <g key={x0} className="served">
            <title>{`r${revision} served`}</title>
            <rect x={x0} y={SERVED_Y} width={Math.max(2, x1 - x0)} height={SERVED_PX} rx="2" />
            {layout.segments
              .filter((one) => one.state === 'unknown' && one.x1 > x0 && one.x0 < x1)
              .map((one) => {
                const from = Math.max(x0, one.x0);
                const hatched = { x: from, y: SERVED_Y - 2, width: Math.min(x1, one.x1) - from };
                return (
                  <g key={one.x0}>
                    <rect {...hatched} height={SERVED_PX + 4} className="ground" />
                    <rect {...hatched} height={SERVED_PX + 4} style={{ fill: `url(#${hatch})` }} />
                  </g>
                );
              })}
            {x1 - x0 > 30 && (
              <text x={Math.max(x0, 0) + 5} y={SERVED_Y + 7}>
                {/* One piece of text: the ground of a second would cover the first. */}
                {`r${revision}`}
              </text>
            )}
          </g>
        ))}
        {layout.bands.map(({ lane, x0, x1 }) => (
          <rect
            key={x0}
            className="band"
            x={Math.max(-4, x0)}
            y={laneY(lane) - 5}
            width={Math.max(2, Math.min(x1, inner + 4) - Math.max(-4, x0))}
            height="10"
            rx="3"
          />
        ))}
        {layout.bars.map(({ lane, x0, held, x1, isLost, leases }) => {
          const from = Math.max(-6, x0);
          const to = Math.min(x1 - (x1 - x0 > 6 ? 1 : 0), inner + 6);
          const since = Math.min(Math.max(held, from), to);
          return (
            <g key={leases[0]?.lease.lease} className="lease">
              {(since - from > 2 || to <= since) && (
                <rect
                  x={from}
                  y={laneY(lane) - 7}
                  width={Math.max(2, since - from)}
                  height="14"
                  rx="3"
                  className="offer"
                />
              )}
              {to > since && (
                <rect
                  x={since}
                  y={laneY(lane) - 7}
                  width={Math.max(1, to - since)}
                  height="14"
                  rx="3"
                  className="held"
                  style={isLost ? { fill: `url(#${hatch})`, stroke: 'var(--unk)' } : undefined}
                />
              )}
            </g>
          );
        })}
        {layout.marks.map((mark) => {
          const { lane, isRejected, pieces, proves, isRaised } = mark;
          const r = isRejected ? 4.5 : proves ? 4.5 : 3.2;
          // Whole also at the edge: half a mark looks like another shape.
          const [x0, x1] = [mark.x0, mark.x1].map((px) => wholeAt(px, r + 4, inner)) as [number, number];
          const isAt = selected !== null && pieces.includes(selected);
          const y = laneY(lane) - (isRaised ? RAISED_PX : 0);
          return (
            <g key={`${isRejected}${pieces[0]}`} className={isRejected ? 'mark rejected' : 'mark'}>
              {proves && !isRejected && (
                <line x1={mark.x0} x2={mark.x0} y1={STRIP_Y + STRIP_PX} y2={y} className="proof-stem" />
              )}
              {isCited(mark) && (
                <rect
                  x={x0 - r - 3}
                  y={y - r - 3}
                  width={x1 - x0 + 2 * r + 6}
                  height={2 * r + 6}
                  rx={r + 3}
                  className="cited"
                />
              )}
              <rect x={x0 - r} y={y - r} width={x1 - x0 + 2 * r} height={2 * r} rx={r} className="dot" />
              {isAt && (
                <rect
                  x={x0 - r - 5}
                  y={y - r - 5}
                  width={x1 - x0 + 2 * r + 10}
                  height={2 * r + 10}
                  rx={r + 5}
                  className="here"
                />
              )}
            </g>
          );
        })}
        {labels.map(({ key, text, x: px, row, className }) => (
          <text
            key={key}
            className={`label ${className}`}
            x={px}
            y={laneY(Number.parseInt(row, 10)) + (row.endsWith('^') ? -16 : 18)}
          >
            {text}
          </text>
        ))}
        {at !== null && (
          <g className="cursor">
            <rect
              x={Math.max(0, x(at))}
              width={Math.max(0, inner - Math.max(0, x(at)))}
              height={height - AXIS_PX}
            />
            <line x1={x(at)} x2={x(at)} y1="0" y2={height - AXIS_PX + 4} />
          </g>
        )}
        {at === null && <line className="now" x1={x(now)} x2={x(now)} y1="0" y2={height - AXIS_PX + 4} />}
      </svg>
    </svg>
  );
}

const wholeAt = (px: number, room: number, widthPx: number) => Math.min(Math.max(px, room), widthPx - room);
