import type { ReactNode } from 'react';
import type { AgentView } from '../../../../src/contract/answers/views.ts';
import { ruleSentence, skew, watchAge } from '../../../../src/contract/presentation/fleet.ts';
import type { Age } from '../../live/polled.ts';
import { DatedText } from '../../parts/dated-text.tsx';
import { Since } from '../../parts/since.tsx';
import { AdviceSteps } from './advice-steps.tsx';
import type { ServiceAtTarget } from './counts.ts';
import { brief } from './fleet.ts';
import type { TargetSilence } from './heard.ts';
import { Holds } from './holds.tsx';
import { Scopes } from './scopes.tsx';
import { Silences } from './silences.tsx';
import type { TargetRowView } from './target-rows.ts';
import { TroubledServices } from './troubled-services.tsx';

interface Props {
  readonly row: TargetRowView;
  /** Services that failed or are degraded. */
  readonly troubled: readonly ServiceAtTarget[];
  readonly age: Age;
  readonly silences: readonly TargetSilence[];
  /** The agent's state in words. */
  readonly said: string | null;
}

/** An open target: what to do first, then what it watches, then when it was not heard; the rest is folded. */
export function TargetFacts({ row: { agent, takes, advices }, troubled, age, silences, said }: Props) {
  const heard = momentsHeard(agent);
  return (
    <div className="target-facts">
      <div className="what-to-do">
        <h3>What to do</h3>
        {advices.length === 0 && troubled.length === 0 && <p className="soft">Nothing.</p>}
        {troubled.length > 0 && <TroubledServices troubled={troubled} serverNow={age.serverNow} />}
        {advices.map((advice) => (
          <div key={advice.brief}>
            <AdviceSteps advice={advice} moments={heard} serverNow={age.serverNow} />
          </div>
        ))}
      </div>
      {agent !== null && (
        <div>
          <h3>What it watches</h3>
          {agent.observation !== null && <p className="soft">{ruleSentence(agent.observation)}</p>}
          <Scopes agent={agent} age={age} />
        </div>
      )}
      {agent !== null && age.serverNow !== null && <Silences silences={silences} now={age.serverNow} />}
      {agent !== null && <AgentDetails agent={agent} takes={takes} age={age} said={said} />}
    </div>
  );
}

interface DetailsProps extends Pick<Props, 'age' | 'said'>, Pick<TargetRowView, 'takes'> {
  readonly agent: AgentView;
}

/** Facts about the agent in the words of the protocol, for people who debug it. */
function AgentDetails({ agent, takes, age, said }: DetailsProps) {
  const heard = momentsHeard(agent);
  return (
    <details className="agent-details">
      <summary>Details</summary>
      <dl className="agent-facts">
        <Fact name="Agent">
          {agent.agent} {agent.version}{' '}
          <span className="soft">
            {age.isOld ? 'last known ' : ''}
            {said !== null && <DatedText text={said} moments={heard} serverNow={age.serverNow} />}
          </span>
        </Fact>
        <Fact name="Watch age">{watchAge(agent)}</Fact>
        <Fact name="Clock">{skew(agent.skewMs)}</Fact>
        {agent.observation !== null && <Fact name="Rule">version {agent.observation.version}</Fact>}
        {agent.forbidden.length > 0 && <Fact name="May not read">{agent.forbidden.join(', ')}</Fact>}
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
        <Fact name="Leases">
          <Holds holds={takes?.holds ?? []} age={age} />
        </Fact>
        <Fact name="Epoch">
          {agent.epoch} <span className="soft">· registered</span>{' '}
          <Since at={agent.registeredAt} age={age} isRough />
        </Fact>
        <Fact name="Identity">
          <Name text={agent.identity} />
        </Fact>
        <Fact name="Process">
          <Name text={agent.instance} />
        </Fact>
      </dl>
    </details>
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

/** The moments that sentences about an agent name. */
const momentsHeard = (agent: AgentView | null): readonly string[] =>
  [agent?.seenAt, agent?.asOf].filter((at) => at != null);
