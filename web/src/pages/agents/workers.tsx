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

/** Workers: their kinds, their last contact, the leases they hold. */
export function Workers({ title, workers, age }: Props) {
  return (
    <table className="rows">
      <caption className="visually-hidden">{title}</caption>
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col">Worker</th>
          <th scope="col">Takes</th>
          <th scope="col">Holds</th>
          <th scope="col" className="age">
            Last request
          </th>
        </tr>
      </thead>
      <tbody>
        {workers.map((worker) => (
          <tr key={`${worker.worker}/${worker.instance}`} data-worker={worker.worker}>
            <td>
              <PresenceBadge presence={worker.state} isOld={age.isOld}>
                {worker.state}
              </PresenceBadge>
            </td>
            <th scope="row">
              {worker.worker}{' '}
              <span className="soft mono" title={worker.instance}>
                {brief(worker.instance)}
              </span>
            </th>
            <td data-label="takes">{worker.kinds.join(', ')}</td>
            <td data-label="holds">
              <Holds holds={worker.holds} age={age} />
            </td>
            <td className="age">
              <Since at={worker.lastSeen} age={age} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Loops of the servers; they hold no lease. */
export function Platform({ parts, age }: { readonly parts: readonly WorkerView[]; readonly age: Age }) {
  return (
    <ul className="platform">
      {parts.map((part) => (
        <li key={part.worker} data-worker={part.worker}>
          <b>{part.worker}</b>
          <PresenceBadge presence={part.state} isOld={age.isOld}>
            {part.state}
          </PresenceBadge>
          <span className="soft">
            <Since at={part.lastSeen} age={age} />
          </span>
        </li>
      ))}
    </ul>
  );
}
