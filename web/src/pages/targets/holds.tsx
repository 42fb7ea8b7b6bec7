import { Link } from 'wouter';
import type { WorkerView } from '../../../../src/contract/answers/views.ts';
import { aboutCommand, commandKind } from '../../../../src/contract/command-id.ts';
import { leaseUntil } from '../../../../src/contract/presentation/fleet.ts';
import type { Age } from '../../live/polled.ts';

/** The leases that a worker or agent holds: command, fence, end. */
export function Holds({ holds, age }: { readonly holds: WorkerView['holds']; readonly age: Age }) {
  if (holds.length === 0) return <span className="soft">nothing</span>;
  return (
    <ul className="holds">
      {holds.map(({ lease, command, fence, until }) => (
        <li key={lease} title={lease}>
          <About command={command} />{' '}
          <span className="soft">
            fence {fence} · {leaseUntil(until, age.isOld ? null : age.serverNow)}
          </span>
        </li>
      ))}
    </ul>
  );
}

function About({ command }: { readonly command: string }) {
  const about = aboutCommand(command);
  if (about === null) return <span className="mono">{command}</span>;
  const { service, revision, attempt } = about;
  return (
    <>
      {commandKind(command)} <Link href={`/services/${service}`}>{service}</Link>{' '}
      <span className="mono">
        r{revision}.{attempt}
      </span>
    </>
  );
}
