import type { ReactNode } from 'react';
import type { AgentView, WorkerView } from '../../../../src/contract/answers/views.ts';
import {
  ruleSentence,
  scopeTrouble,
  skew,
  standing,
  watchAge,
} from '../../../../src/contract/presentation/fleet.ts';
import type { Age } from '../../live/polled.ts';
import { PresenceBadge } from '../../parts/presence-badge.tsx';
import { Since } from '../../parts/since.tsx';
import { brief } from './fleet.ts';
import { Holds } from './holds.tsx';

interface Props {
  readonly agent: AgentView;
  readonly takes: WorkerView | null;
  readonly age: Age;
}

/** One agent: its last contact, the age of its observations, what it may not read, the leases it holds. */
export function AgentCard({ agent, takes, age }: Props) {
  const { target, state, scopes, forbidden } = agent;
  return (
    <li className={`card agent${state === 'stale' || age.isOld ? ' open' : ''}`} data-agent={agent.id}>
      <header>
        <h3>
          {target} <span className="soft">{agent.agent}</span>
        </h3>
        <PresenceBadge presence={state} isOld={age.isOld}>
          {standing(agent)}
        </PresenceBadge>
      </header>
      <dl className="facts">
        <Fact name="Heard">
          <Since at={agent.seenAt} age={age} />
        </Fact>
        <Fact name="What it saw">
          <Since at={agent.asOf} age={age} />
          <span className="soft"> · watch age {watchAge(agent)}</span>
        </Fact>
        <Fact name="Clock">{skew(agent.skewMs)}</Fact>
        {agent.observation !== null && (
          <Fact name="Observes">
            {ruleSentence(agent.observation)} <span className="soft">· rule {agent.observation.version}</span>
          </Fact>
        )}
        {forbidden.length > 0 && (
          <Fact name="May not read">
            <b className="tone-failed">{forbidden.join(', ')}</b>
          </Fact>
        )}
        <Fact name="Takes">
          {agent.observeOnly ? (
            'nothing: it only observes'
          ) : takes === null ? (
            <span className="soft">no work requested yet</span>
          ) : (
            <>
              {takes.kinds.join(', ')}{' '}
              <span className="soft">
                · {age.isOld ? 'last known ' : ''}
                {takes.state}, requested
              </span>{' '}
              <Since at={takes.lastSeen} age={age} />
            </>
          )}
        </Fact>
        <Fact name="Holds">
          <Holds holds={takes?.holds ?? []} age={age} />
        </Fact>
        <Fact name="Epoch">
          {agent.epoch} <span className="soft">· registered</span>{' '}
          <Since at={agent.registeredAt} age={age} isRough />
        </Fact>
        <Fact name="Version">{agent.version || '–'}</Fact>
        <Fact name="Identity">
          <Name text={agent.identity} />
        </Fact>
        <Fact name="Process">
          <Name text={agent.instance} />
        </Fact>
      </dl>
      {(scopes.length > 1 || scopes.some((scope) => scopeTrouble(scope) !== null)) && (
        <Scopes scopes={scopes} age={age} />
      )}
    </li>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const Name = ({ text }: { readonly text: string | null }) =>
  text === null ? (
    '–'
  ) : (
    <span className="mono" title={text}>
      {brief(text)}
    </span>
  );

/** Each scope shows its own age, so that a stalled one does not hide behind the others: those in trouble come first. */
function Scopes({ scopes, age }: { readonly scopes: AgentView['scopes']; readonly age: Age }) {
  const troubled = scopes.filter((scope) => scopeTrouble(scope) !== null);
  const calm = scopes.filter((scope) => scopeTrouble(scope) === null);
  return (
    <>
      {troubled.length > 0 && <ScopeTable title="In trouble" scopes={troubled} age={age} />}
      {calm.length > 0 && calm.length <= FEW && (
        <ScopeTable title="What it watches" scopes={calm} age={age} />
      )}
      {calm.length > FEW && (
        <details className="scopes">
          <summary>{calm.length} more are watched as they should be</summary>
          <ScopeTable title="What it watches" scopes={calm} age={age} />
        </details>
      )}
    </>
  );
}

/** Up to this many scopes are listed without a summary. */
const FEW = 5;

interface ScopeTableProps {
  readonly title: string;
  readonly scopes: AgentView['scopes'];
  readonly age: Age;
}

function ScopeTable({ title, scopes, age }: ScopeTableProps) {
  return (
    <table className="scopes">
      <caption className="visually-hidden">{title}</caption>
      <thead>
        <tr>
          <th scope="col">Watches</th>
          <th scope="col">Seen</th>
          <th scope="col">Trouble</th>
        </tr>
      </thead>
      <tbody>
        {scopes.map((scope) => (
          <tr key={scope.scope} data-scope={scope.scope}>
            <th scope="row" className="mono">
              {scope.scope}
            </th>
            <td>
              <Since at={scope.asOf} age={age} />
            </td>
            <td>
              {scopeTrouble(scope) === null ? '–' : <b className="tone-failed">{scopeTrouble(scope)}</b>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
