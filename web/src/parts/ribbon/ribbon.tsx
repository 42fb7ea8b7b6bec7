import '../../styles/ribbon.css';
import type { CSSProperties } from 'react';
import type { RibbonView } from '../../../../src/contract/answers/views.ts';
import type { State } from '../../../../src/contract/vocabulary.ts';
import { formOf, ribbonLayout } from './ribbon-layout.ts';
import { ribbonSentence } from './ribbon-sentence.ts';

const DAY_MS = 24 * 3_600_000;

interface Props {
  /** Undefined while it is not read yet: then only the cap is drawn. */
  readonly ribbon: RibbonView | undefined;
  /** The state as the claim of now says it, which minutes of a day would be too narrow for. */
  readonly now: State;
  readonly windowMs?: number;
  /** A row has little room for it. */
  readonly isNarrow?: boolean;
}

/**
 * The states of a service over time. Height carries the state, hatching that it is not known, a tick a deploy, a restart or an exit.
 * Rejected: one `svg` for each, of which thousands of shapes would have to be drawn, and which does not grow with its
 * column without distorting the hatching.
 */
export function Ribbon({ ribbon, now, windowMs = DAY_MS, isNarrow = false }: Props) {
  const { bands, ticks, empty } =
    ribbon === undefined
      ? { bands: [], ticks: [], empty: 100 }
      : ribbonLayout(ribbon, windowMs, isNarrow ? 15 : 0);
  return (
    <span
      className="ribbon"
      role="img"
      aria-label={ribbon === undefined ? 'Not read yet' : ribbonSentence(ribbon)}
    >
      <span className="ribbon-window" style={{ '--empty': `${empty}%` } as CSSProperties}>
        {bands.map(({ form, from, width }) => (
          <i
            key={from}
            className={`band-${form}`}
            style={{ left: `min(${from}%, 100% - 3px)`, width: `${width}%` }}
          />
        ))}
        {ticks.map(({ at, kind }, i) => {
          const left = `min(${at}%, 100% - 2px)`;
          // biome-ignore lint/suspicious/noArrayIndexKey: two ticks may stand at one place, and none has a name
          return <b key={i} className={`tick-${kind}`} style={{ left }} />;
        })}
      </span>
      <i className={`ribbon-cap band-${formOf(now)}`} />
    </span>
  );
}
