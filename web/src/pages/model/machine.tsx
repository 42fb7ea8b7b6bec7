import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react';
import type { ModelView, StateView } from '../../../../src/contract/answers/model-view.ts';
import { NOT_DRAWN } from '../../../../src/contract/presentation/seven-answers.ts';
import { wordOf } from '../../../../src/contract/presentation/words.ts';
import { STATES, type State } from '../../../../src/contract/vocabulary.ts';
import { Marked } from '../../parts/marked.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import { type Box, drawingOf, inLines, nearest, type TransitionLine } from './drawing.ts';
import { addressOf } from './selection.ts';

interface Props {
  readonly model: ModelView;
  readonly chosen: string | null;
  readonly choose: (state: string) => void;
}

const ARROWS: Readonly<Record<string, readonly [dx: number, dy: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Draws the state machine from the server's model. Each state links to its answers. */
export function Machine({ model, chosen, choose }: Props) {
  const { width, height, boxes, lines, births } = useMemo(() => drawingOf(model), [model]);
  const svg = useRef<SVGSVGElement>(null);
  const nodeOf = (state: string) =>
    svg.current?.querySelector<SVGAElement>(`[data-node="${CSS.escape(state)}"]`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: where there is no room for all, what is open is in sight
  useEffect(() => {
    if (chosen !== null) nodeOf(chosen)?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [chosen]);
  const walk = (event: KeyboardEvent, from: string) => {
    const arrow = ARROWS[event.key];
    if (arrow === undefined) return;
    event.preventDefault();
    const to = nearest(boxes, from, ...arrow);
    nodeOf(to)?.focus();
  };
  const tone = (line: TransitionLine) =>
    chosen === null || (line.from !== chosen && line.to !== chosen) ? '' : ' is-on';
  return (
    <>
      <div className="machine scroll">
        {/* biome-ignore lint/a11y/useSemanticElements: a drawing whose parts are links is a group of them */}
        <svg
          ref={svg}
          viewBox={`0 0 ${width} ${height}`}
          role="group"
          aria-label="The state machine; arrow keys walk it, Enter opens a state"
          className={chosen === null ? '' : 'has-chosen'}
        >
          <Defs />
          <g aria-hidden="true">
            {[...births, ...lines].map((line) => (
              <path
                key={`${line.from} ${line.to}`}
                className={`step${line.from === null ? ' birth' : ''}${tone(line)}`}
                d={line.path}
                markerEnd={tone(line) === '' ? 'url(#arrow)' : 'url(#arrow-on)'}
                markerStart={
                  line.from === null
                    ? 'url(#dot)'
                    : line.isBoth
                      ? tone(line) === ''
                        ? 'url(#arrow)'
                        : 'url(#arrow-on)'
                      : undefined
                }
              />
            ))}
          </g>
          {boxes.map((box) => (
            <Node
              key={box.state}
              box={box}
              row={model.states.find(({ state }) => state === box.state)}
              isChosen={box.state === chosen}
              onChoose={() => choose(box.state)}
              onKey={(event) => walk(event, box.state)}
            />
          ))}
        </svg>
      </div>
      <p className="soft drawn">
        <Marked text={NOT_DRAWN} />
      </p>
    </>
  );
}

interface NodeProps {
  readonly box: Box;
  readonly row: StateView | undefined;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onKey: (event: KeyboardEvent) => void;
}

const LONGEST = 12;
const LINE = 15;

function Node({ box, row, isChosen, onChoose, onKey }: NodeProps) {
  const { state, x, y, width, height, isWide, isHub } = box;
  const word = wordOf(state as State);
  const text = isWide ? [word] : inLines(word, LONGEST);
  const badge = STATES.find((one) => one === state);
  const middle = y + height / 2 + 4.5;
  return (
    <a
      href={addressOf({ state, search: '' })}
      className={`node tone-${state}${isHub ? ' hub' : ''}`}
      data-node={state}
      aria-current={isChosen ? 'true' : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        onChoose();
      }}
      onKeyDown={onKey}
    >
      <rect className="box" x={x} y={y} width={width} height={height} rx={isWide ? height / 2 : 10} />
      {isHub && <rect className="hatch" x={x} y={y} width={width} height={height} rx={height / 2} />}
      {badge !== undefined && (
        <g transform={`translate(${isWide ? x + 14 : x + 8} ${isWide ? y + height / 2 - 7 : y - 7})`}>
          <circle cx="7" cy="7" r="8.5" className="behind" />
          <StateMark state={badge} />
        </g>
      )}
      <text x={isWide ? x + 36 : x + width / 2} y={middle} textAnchor={isWide ? 'start' : 'middle'}>
        {text.map((line, i) => (
          <tspan
            key={line}
            // The space is for screen readers, and shifts centred text by half its width.
            x={isWide ? x + 36 : x + width / 2 + (i < text.length - 1 ? 2 : 0)}
            y={middle + (i - (text.length - 1) / 2) * LINE}
          >
            {i < text.length - 1 || isWide ? `${line} ` : line}
          </tspan>
        ))}
        {width > 500 && row !== undefined && (
          <tspan className="meaning" dx="8">
            {row.meaning}
          </tspan>
        )}
      </text>
    </a>
  );
}

/** One arrowhead for each colour: some browsers do not let it inherit the line's colour. */
const Defs = () => (
  <defs>
    {['arrow', 'arrow-on'].map((id) => (
      <marker
        key={id}
        id={id}
        viewBox="0 0 8 8"
        refX="7.2"
        refY="4"
        markerWidth="7"
        markerHeight="7"
        markerUnits="userSpaceOnUse"
        orient="auto-start-reverse"
      >
        <path d="M0.5 0.8L7.5 4L0.5 7.2z" className={id} />
      </marker>
    ))}
    <marker
      id="dot"
      viewBox="0 0 8 8"
      refX="4"
      refY="4"
      markerWidth="8"
      markerHeight="8"
      markerUnits="userSpaceOnUse"
    >
      <circle cx="4" cy="4" r="3.5" className="arrow" />
    </marker>
    <pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <path d="M0 0V7" className="hatching" />
    </pattern>
  </defs>
);
