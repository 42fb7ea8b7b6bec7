import { StateMark } from '../../parts/state-mark.tsx';
import type { Layout } from './list-filter.ts';

const KEYS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['j', 'k'], 'move'],
  [['Enter'], 'open'],
  [['e'], 'evidence'],
  [['t'], 'time machine'],
  [['?'], 'all keys'],
];

/** The keys of the list, and what its shapes mean. */
export function ListFoot({ layout }: { readonly layout: Layout }) {
  return (
    <footer className="list-foot">
      {layout === 'map' ? (
        <span>One mark per service, always in the same place, ordered by name.</span>
      ) : (
        KEYS.map(([keys, does]) => (
          <span key={does}>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}{' '}
            {does}
          </span>
        ))
      )}
      <span className="legend-of-list">{layout === 'map' ? <MapLegend /> : <RibbonLegend />}</span>
    </footer>
  );
}

const RibbonLegend = () => (
  <>
    <i className="band-running" /> running
    <i className="band-progress" /> in progress
    <i className="band-unknown" /> not known
    <i className="band-degraded" /> degraded
    <i className="band-failed" /> failed
    <i className="band-before" /> not there yet
    <i className="tick-deploy" /> deploy
    <i className="tick-again" /> restart
    <i className="tick-exit" /> exit
  </>
);

const MapLegend = () => (
  <>
    <i className="cell-running" /> running
    <i className="cell-unknown" /> not known
    <span className="tone-failed">
      <i className="cell-down">
        <StateMark state="failed" />
      </i>{' '}
      nothing serves
    </span>
    {(['failed', 'degraded', 'starting', 'stopped'] as const).map((state) => (
      <span key={state} className={`tone-${state}`}>
        <StateMark state={state} /> {state === 'starting' ? 'in progress' : state}
      </span>
    ))}
  </>
);
