import type { AgentView } from '../../../../src/contract/answers/views.ts';
import { scopeTrouble } from '../../../../src/contract/presentation/fleet.ts';
import type { Age } from '../../live/polled.ts';
import { Since } from '../../parts/since.tsx';
import { StateMark } from '../../parts/state-mark.tsx';

interface Props {
  readonly scopes: AgentView['scopes'];
  readonly age: Age;
}

/** Up to this many scopes are listed without a summary. */
const FEW = 6;

/** Each scope shows its own age, so that a stalled one does not hide behind the others: those in trouble come first. */
export function Scopes({ scopes, age }: Props) {
  const troubled = scopes.filter((scope) => scopeTrouble(scope) !== null);
  const calm = scopes.filter((scope) => scopeTrouble(scope) === null);
  return (
    <div>
      {troubled.length > 0 && <ScopeTable title="In trouble" scopes={troubled} age={age} />}
      {calm.length > 0 && calm.length <= FEW && (
        <ScopeTable title="What it watches" scopes={calm} age={age} />
      )}
      {calm.length > FEW && (
        <details>
          <summary>{calm.length} more are watched as they should be</summary>
          <ScopeTable title="What it watches" scopes={calm} age={age} />
        </details>
      )}
    </div>
  );
}

function ScopeTable({ title, scopes, age }: Props & { readonly title: string }) {
  return (
    <table className="scopes">
      <caption className="visually-hidden">{title}</caption>
      <thead>
        <tr>
          <th scope="col">Watches</th>
          <th scope="col">Read</th>
          <th scope="col" className="age">
            Proven
          </th>
        </tr>
      </thead>
      <tbody>
        {scopes.map((scope) => {
          const trouble = scopeTrouble(scope);
          const mark = age.isOld || trouble !== null ? 'unknown' : 'running';
          return (
            <tr key={scope.scope} data-scope={scope.scope}>
              <th scope="row" className="mono">
                {scope.scope}
              </th>
              <td>
                <span className={`badge tone-${mark}`}>
                  <StateMark state={mark} />
                  {trouble ?? (age.isOld ? 'last known yes' : 'yes')}
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
  );
}
