import '../styles/rows.css';
import '../styles/agents.css';
import { useEffect } from 'react';
import { fleetCounts } from '../../../src/contract/presentation/fleet.ts';
import { ago } from '../../../src/contract/presentation/times.ts';
import { useStream } from '../live/live.ts';
import { useAge } from '../live/polled.ts';
import { BrokenItems } from '../parts/broken-items.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { OutdatedNotice } from '../parts/outdated-notice.tsx';
import { Quiet } from '../parts/quiet.tsx';
import { hasRoleAtLeast, type Session } from '../session.ts';
import { AgentCard } from './agents/agent-card.tsx';
import { Commands } from './agents/commands.tsx';
import { type Fleet, fleetLists } from './agents/fleet.ts';
import { Gone } from './agents/gone.tsx';
import { useFleet } from './agents/reading.ts';
import { Platform, Workers } from './agents/workers.tsx';

const TITLE = 'Agents and workers';

/**
 * Agents, workers and commands: who is alive, how fresh their data is, which leases they hold, which commands
 * wait.
 */
export function Agents({ session }: { readonly session: Session }) {
  useStream('/v1/events');
  useEffect(() => {
    document.title = `${TITLE} · Evident`;
  }, []);
  if (!hasRoleAtLeast(session, 'operator'))
    return <NotAllowed page={TITLE} needs="operator" session={session} />;
  return <FleetOverview />;
}

function FleetOverview() {
  const fleet = useFleet();
  if (fleet.data === undefined)
    return (
      <>
        <h1>{TITLE}</h1>
        <Quiet>
          {fleet.error === null
            ? 'Reading agents, workers and commands …'
            : `${fleet.error.message} It is read again by itself.`}
        </Quiet>
      </>
    );
  return <FleetContent fleet={fleet.data.data} requestedAt={fleet.data.requestedAt} error={fleet.error} />;
}

interface FleetProps {
  readonly fleet: Fleet;
  readonly requestedAt: number;
  readonly error: Error | null;
}

function FleetContent({ fleet, requestedAt, error }: FleetProps) {
  const age = useAge(requestedAt);
  const { agents, workers, platform, fenced, offline } = fleetLists(fleet);
  return (
    <>
      <h1>{TITLE}</h1>
      <p className="soft">
        {age.isOld ? `As it was ${ago(age.agoMs)}: ` : ''}
        {fleetCounts(fleet.agents, workers, fleet.commands)}
      </p>
      <OutdatedNotice age={age} error={error} />
      <BrokenItems names={fleet.unreadable} />
      <section aria-label="Agents" className="part">
        <h2>Agents</h2>
        {agents.length === 0 ? (
          <div className="card open">
            <p>No agent has registered yet: nothing can be put in place, and nothing is seen.</p>
            <pre>evident agent --target TARGET</pre>
          </div>
        ) : (
          <ul className="agents">
            {agents.map(({ agent, takes }) => (
              <AgentCard key={agent.id} agent={agent} takes={takes} age={age} />
            ))}
          </ul>
        )}
      </section>
      <section aria-label="Commands" className="part card">
        <h2>What waits for whom</h2>
        <Commands commands={fleet.commands} age={age} />
      </section>
      <section aria-label="Workers" className="part card">
        <h2>Workers</h2>
        {workers.length === 0 ? (
          <p className="soft">
            No worker is online: nothing can be built. Start one: <code>evident worker</code>
          </p>
        ) : (
          <Workers title="Workers" workers={workers} age={age} />
        )}
      </section>
      <section aria-label="The platform" className="part card">
        <h2>The platform</h2>
        <Platform parts={platform} age={age} />
      </section>
      <Gone fenced={fenced} offline={offline} age={age} />
    </>
  );
}
