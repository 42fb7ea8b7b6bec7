import { useState } from 'react';
import { Link } from 'wouter';
import { verdictOf } from '../../../../src/contract/presentation/verdict.ts';
import { StateMark } from '../../parts/state-mark.tsx';
import type { ServiceAtTarget } from './counts.ts';

/** Most services that are listed before somebody asks for all. */
const LISTED = 5;

interface Props {
  readonly troubled: readonly ServiceAtTarget[];
  /** Null while the server's time is not known. */
  readonly serverNow: number | null;
}

/** Services of a target that failed or are degraded, each with the sentence that heads its own page. */
export function TroubledServices({ troubled, serverNow }: Props) {
  const [isAll, showAll] = useState(false);
  return (
    <ul className="troubled-services">
      {troubled
        .slice(0, isAll ? troubled.length : LISTED)
        .map(({ claim, claimView: { state }, serving, isNothingServing }) => (
          <li key={claim.service}>
            <i className={`tone-${state}`}>
              <StateMark state={state} />
            </i>
            <span>
              <Link href={`/services/${claim.service}`}>{claim.service}</Link>{' '}
              {
                verdictOf(claim, {
                  ...{ lastProofMs: null, isFresh: true, serving, isNothingServing },
                  serverNow: serverNow ?? Date.parse(claim.now),
                }).title
              }
            </span>
          </li>
        ))}
      {!isAll && troubled.length > LISTED && (
        <li>
          <button type="button" className="link" onClick={() => showAll(true)}>
            {troubled.length - LISTED} more
          </button>
        </li>
      )}
    </ul>
  );
}
