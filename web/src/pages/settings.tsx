import '../styles/settings.css';
import { Link, Redirect } from 'wouter';
import { hasRoleAtLeast, type Session } from '../session.ts';
import { CommandLine } from './command-line.tsx';
import { NoSuchPage } from './no-such-page.tsx';
import { ObservationRules } from './settings/observation-rules.tsx';
import { People } from './settings/people-page.tsx';
import { Webhooks } from './settings/webhooks-page.tsx';
import { Tokens } from './tokens.tsx';

/** The parts of the settings. To add one: add a line. */
const PARTS = [
  { part: 'tokens', title: 'Tokens and targets', needs: 'admin', Content: Tokens },
  { part: 'people', title: 'People', needs: 'admin', Content: People },
  { part: 'webhooks', title: 'Webhooks', needs: 'admin', Content: Webhooks },
  { part: 'observation', title: 'Observation rules', needs: 'admin', Content: ObservationRules },
  { part: 'command-line', title: 'Command line', needs: 'viewer', Content: CommandLine },
] as const;

interface Props {
  readonly part: string | undefined;
  readonly session: Session;
}

export function Settings({ part, session }: Props) {
  const allowed = PARTS.filter(({ needs }) => hasRoleAtLeast(session, needs));
  if (part === undefined) return <Redirect to={`/settings/${allowed[0]?.part ?? 'command-line'}`} replace />;
  const found = PARTS.find((one) => one.part === part);
  if (found === undefined) return <NoSuchPage />;
  return (
    <div className="settings">
      <nav aria-label="Settings">
        {allowed.map((one) => (
          <Link
            key={one.part}
            href={`/settings/${one.part}`}
            aria-current={one.part === part ? 'page' : undefined}
          >
            {one.title}
          </Link>
        ))}
      </nav>
      <div>
        <found.Content session={session} />
      </div>
    </div>
  );
}
