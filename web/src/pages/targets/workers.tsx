import type { WorkerView } from '../../../../src/contract/answers/views.ts';
import type { Age } from '../../live/polled.ts';
import { PresenceBadge } from '../../parts/presence-badge.tsx';
import { Since } from '../../parts/since.tsx';
import { brief } from './fleet.ts';
import { Holds } from './holds.tsx';

interface Props {
  readonly title: string;
  readonly workers: readonly WorkerView[];
  readonly age: Age;
}

const WORDS: Readonly<Record<WorkerView['state'], string>> = {
  busy: 'Busy',
  online: 'Heard',
  offline: 'Silent',
};

/** Builders: their last contact, the leases they hold, the commands they take. */
export function Workers({ title, workers, age }: Props) {
  return (
    <table className="targets">
      <caption className="visually-hidden">{title}</caption>
      <colgroup>
        <col className="wide" />
        <col />
        <col />
        <col className="widest" />
        <col />
      </colgroup>
      <thead>
        <tr>
          <th scope="col">Builder</th>
          <th scope="col">State</th>
          <th scope="col">Heard</th>
          <th scope="col">Doing</th>
          <th scope="col">Takes</th>
        </tr>
      </thead>
      <tbody>
        {workers.map((worker) => (
          <tr key={`${worker.worker}/${worker.instance}`} className="target" data-worker={worker.worker}>
            <th scope="row">
              <b>{worker.worker}</b>{' '}
              <span className="soft mono" title={worker.instance}>
                {brief(worker.instance)}
              </span>
            </th>
            <td data-label="State">
              <PresenceBadge presence={worker.state} isOld={age.isOld}>
                {WORDS[worker.state]}
              </PresenceBadge>
            </td>
            <td data-label="Heard">
              <Since at={worker.lastSeen} age={age} />
            </td>
            <td data-label="Doing">
              <Holds holds={worker.holds} age={age} />
            </td>
            <td data-label="Takes">{worker.kinds.join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/**
 * Loops of the servers; they hold no lease. Each runs at a rhythm of its own, from a second to an hour, so that the age of
 * one that is heard says nothing.
 */
export function Platform({ parts, age }: { readonly parts: readonly WorkerView[]; readonly age: Age }) {
  return (
    <section className="platform" aria-label="The platform">
      <h2>The platform</h2>
      <ul>
        {parts.map((part) => (
          <li key={part.worker} data-worker={part.worker}>
            <PresenceBadge presence={part.state} isOld={age.isOld}>
              <span className={part.state === 'offline' || age.isOld ? '' : 'visually-hidden'}>
                {part.state}
              </span>
            </PresenceBadge>
            {part.worker}
            {part.state === 'offline' && (
              <span className="soft">
                <Since at={part.lastSeen} age={age} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
