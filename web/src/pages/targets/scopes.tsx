import { useState } from 'react';
import type { AgentView } from '../../../../src/contract/answers/views.ts';
import { scopeTrouble } from '../../../../src/contract/presentation/fleet.ts';
import type { Age } from '../../live/polled.ts';
import { Since } from '../../parts/since.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import { isSilentAlone, scopeName } from './advice.ts';

interface Props {
  readonly agent: Pick<AgentView, 'scopes' | 'state'>;
  readonly age: Age;
}

/** Most scopes without trouble that are listed at once. */
const FEW = 6;

/** Each scope shows its own age, so that a stalled one does not hide behind the others: those in trouble come first. */
export function Scopes({ agent: { scopes, state }, age }: Props) {
  const [isAll, showAll] = useState(false);
  const troubled = scopes.filter((scope) => scopeTrouble(scope) !== null);
  const calm = scopes.filter((scope) => scopeTrouble(scope) === null);
  const listed = [...troubled, ...(isAll || calm.length <= FEW ? calm : [])];
  if (scopes.length === 0) return <p className="soft">Nothing reported yet.</p>;
  return (
    <>
      {listed.length > 0 && (
        <table className="scopes">
          <caption className="visually-hidden">What it watches</caption>
          <thead>
            <tr>
              <th scope="col">Where</th>
              <th scope="col">Read</th>
              <th scope="col" className="age">
                Proven
              </th>
            </tr>
          </thead>
          <tbody>
            {listed.map((scope) => {
              const trouble = isSilentAlone(scope, state) ? 'not since it fell silent' : scopeTrouble(scope);
              const mark = age.isOld || trouble !== null ? 'unknown' : 'running';
              return (
                <tr key={scope.scope} data-scope={scope.scope}>
                  <th scope="row">{scopeName(scope.scope)}</th>
                  <td>
                    <span className={`badge tone-${mark}`}>
                      <StateMark state={mark} />
                      <span>{trouble ?? (age.isOld ? 'last known yes' : 'yes')}</span>
                    </span>
                  </td>
                  <td className="age">
                    <Since at={scope.asOf} age={age} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      {listed.length < scopes.length && (
        <button type="button" className="link" onClick={() => showAll(true)}>
          {calm.length} more are watched as they should be
        </button>
      )}
    </>
  );
}
