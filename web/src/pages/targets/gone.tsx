import type { AgentView, WorkerView } from '../../../../src/contract/answers/views.ts';
import type { Age } from '../../live/polled.ts';
import { PresenceBadge } from '../../parts/presence-badge.tsx';
import { Since } from '../../parts/since.tsx';
import { brief } from './fleet.ts';
import { Workers } from './workers.tsx';

interface Props {
  readonly fenced: readonly AgentView[];
  readonly offline: readonly WorkerView[];
  readonly age: Age;
}

/** Agents and workers that no longer report, folded away. */
export function Gone({ fenced, offline, age }: Props) {
  if (fenced.length + offline.length === 0) return null;
  return (
    <details className="card gone">
      <summary>
        {[
          ...(fenced.length === 0 ? [] : [`${fenced.length} fenced`]),
          ...(offline.length === 0 ? [] : [`${offline.length} offline`]),
        ].join(', ')}
      </summary>
      {fenced.length > 0 && (
        <table className="rows">
          <caption>Agents that a newer registration has fenced</caption>
          <thead>
            <tr>
              <th scope="col">State</th>
              <th scope="col">Target</th>
              <th scope="col">Agent</th>
              <th scope="col">Epoch</th>
              <th scope="col" className="age">
                Registered
              </th>
            </tr>
          </thead>
          <tbody>
            {fenced.map((agent) => (
              <tr key={agent.id}>
                <td>
                  <PresenceBadge presence="fenced" isOld={false}>
                    fenced
                  </PresenceBadge>
                </td>
                <th scope="row">{agent.target}</th>
                <td data-label="agent">
                  {agent.agent ?? '–'}{' '}
                  <span className="soft mono" title={agent.instance}>
                    {brief(agent.instance)}
                  </span>
                </td>
                <td data-label="epoch">{agent.epoch}</td>
                <td className="age">
                  <Since at={agent.registeredAt} age={age} isRough />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {offline.length > 0 && (
        <Workers title="Workers and servers that are offline" workers={offline} age={age} />
      )}
    </details>
  );
}
