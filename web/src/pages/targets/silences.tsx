import { clockTime, dayBefore, longSpan } from '../../../../src/contract/presentation/times.ts';
import { Moment } from '../../parts/moment.tsx';
import type { TargetSilence } from './heard.ts';

interface Props {
  readonly silences: readonly TargetSilence[];
  readonly now: number;
}

/** Most silences that are listed; the rest is counted. */
const LISTED = 5;

/** When the agents of a target were not heard. */
export function Silences({ silences, now }: Props) {
  return (
    <div className="silences">
      <h3>Silences in 7 days</h3>
      {silences.length === 0 && <p className="soft">None.</p>}
      <ul>
        {silences.slice(0, LISTED).map(({ from, until }) => (
          <li key={from}>
            <Moment at={from}>
              {dayBefore(from, now) || 'today '}
              {clockTime(from)}
            </Moment>
            {until === null ? (
              <b className="tone-unknown">{longSpan(now - from)} so far</b>
            ) : (
              <span>{longSpan(until - from)}</span>
            )}
          </li>
        ))}
      </ul>
      {silences.length > LISTED && <p className="soft">{silences.length - LISTED} more</p>}
    </div>
  );
}
