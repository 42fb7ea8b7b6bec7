import { Link } from 'wouter';
import { StateMark } from '../../parts/state-mark.tsx';
import type { ServiceAtTarget } from './counts.ts';

/** Most services that are listed; the count in the row leads to all. */
const LISTED = 5;

/** Services of a target that failed or are degraded, each with its own sentence; its page says what to do. */
export function TroubledServices({ troubled }: { readonly troubled: readonly ServiceAtTarget[] }) {
  return (
    <ul className="troubled-services">
      {troubled.slice(0, LISTED).map(({ claim, claimView: { state } }) => (
        <li key={claim.service}>
          <i className={`tone-${state}`}>
            <StateMark state={state} />
          </i>
          <span>
            <Link href={`/services/${claim.service}`}>{claim.service}</Link> {claim.message.title}
          </span>
        </li>
      ))}
      {troubled.length > LISTED && <li className="soft">{troubled.length - LISTED} more</li>}
    </ul>
  );
}
