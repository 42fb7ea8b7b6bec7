import type { ReactNode } from 'react';
import type { AgentView, WorkerView } from '../../../../src/contract/answers/views.ts';
import { skew, standing, watchAge } from '../../../../src/contract/presentation/fleet.ts';
import type { Look } from '../../live/look.ts';
import { Since } from '../../parts/since.tsx';
import { Standing } from '../../parts/standing.tsx';
import { brief } from './fleet.ts';
import { Holds } from './holds.tsx';

interface Props {
  readonly agent: AgentView;
  readonly takes: WorkerView | null;
  readonly look: Look;
}

/** One agent: its last contact, the age of its observations, what it may not read, the leases it holds. */
export function AgentCard({ agent, takes, look }: Props) {
  const { target, state, scopes, forbidden } = agent;
  return (
    <li className={`card agent${state === 'stale' || look.isOld ? ' open' : ''}`} data-agent={agent.id}>
      <header>
        <h3>
          {target} <span className="soft">{agent.agent}</span>
        </h3>
        <Standing presence={state} isOld={look.isOld}>
          {standing(agent)}
        </Standing>
      </header>
      <dl className="facts">
        <Fact name="Heard">
          <Since at={agent.seenAt} look={look} />
        </Fact>
        <Fact name="What it saw">
          <Since at={agent.asOf} look={look} />
          <span className="soft"> · watch age {watchAge(agent)}</span>
        </Fact>
        <Fact name="Clock">{skew(agent.skewMs)}</Fact>
        {forbidden.length > 0 && (
          <Fact name="May not read">
            <b className="tone-failed">{forbidden.join(', ')}</b>
          </Fact>
        )}
        <Fact name="Takes">
          {takes === null ? (
            <span className="soft">nothing asked for yet</span>
          ) : (
            <>
              {takes.kinds.join(', ')}{' '}
              <span className="soft">
                · {look.isOld ? 'last known ' : ''}
                {takes.state}, asked
              </span>{' '}
              <Since at={takes.lastSeen} look={look} />
            </>
          )}
        </Fact>
        <Fact name="Holds">
          <Holds holds={takes?.holds ?? []} look={look} />
        </Fact>
        <Fact name="Epoch">
          {agent.epoch} <span className="soft">· registered</span>{' '}
          <Since at={agent.registeredAt} look={look} isRough />
        </Fact>
        <Fact name="Version">{agent.version || '–'}</Fact>
        <Fact name="Identity">
          <Name text={agent.identity} />
        </Fact>
        <Fact name="Process">
          <Name text={agent.instance} />
        </Fact>
      </dl>
      {(scopes.length > 1 || scopes.some(({ unavailable }) => unavailable !== null)) && (
        <Scopes scopes={scopes} look={look} />
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

/** Each scope shows its own age, so that a stalled one does not hide behind the others. */
function Scopes({ scopes, look }: { readonly scopes: AgentView['scopes']; readonly look: Look }) {
  return (
    <table className="scopes">
      <caption className="unseen">What it watches</caption>
      <thead>
        <tr>
          <th scope="col">Watches</th>
          <th scope="col">Seen</th>
          <th scope="col">Unavailable</th>
        </tr>
      </thead>
      <tbody>
        {scopes.map(({ scope, asOf, unavailable }) => (
          <tr key={scope}>
            <th scope="row" className="mono">
              {scope}
            </th>
            <td>
              <Since at={asOf} look={look} />
            </td>
            <td>{unavailable === null ? '–' : <b className="tone-failed">{unavailable}</b>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
