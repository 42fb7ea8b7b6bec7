import { isManagedElsewhere } from '../../contract/actions.ts';
import type { Claim } from '../../contract/claim.ts';
import { targetOf } from '../../contract/names.ts';
import type { State } from '../../contract/vocabulary.ts';

/** Stages at which an output says more than the claim does. */
const WITH_OUTPUT: ReadonlySet<State | null> = new Set(['building', 'starting', 'running']);

/** The commands to type next, in order: look at the output of what failed, then act. Empty where nobody has to act. */
export function nextCommandLines(claim: Claim): readonly string[] {
  const act = nextCommandLine(claim);
  if (act === null) return [];
  const { service, state, proof, next, actions } = claim;
  const isOurs = !isManagedElsewhere(actions);
  const hasOutput = isOurs && state === 'failed' && next.owner === 'user' && WITH_OUTPUT.has(proof.stoppedAt);
  return hasOutput ? [`evident logs ${service}`, act] : [act];
}

/** The command for the action that the claim names; null where nobody has to act. */
function nextCommandLine({ service, next, state, actions }: Claim): string | null {
  switch (next.action) {
    case null:
      return null;
    case 'deploy':
    case 'redeploy':
      return 'evident deploy';
    case 'retry':
    case 'restart':
    case 'rollback':
    case 'cancel':
    case 'teardown':
      return `evident ${next.action} ${service}`;
    case 'start_worker':
      return state === 'failed' ? `evident retry ${service}` : 'evident worker --kinds build';
    case 'start_agent':
    case 'restart_agent':
      // An agent that deploys, started for a cluster, would take the target over from the one that observes it.
      if (isManagedElsewhere(actions)) return 'evident agents -o wide';
      return state === 'failed' ? `evident retry ${service}` : `evident agent --target ${targetOf(service)}`;
    case 'investigate':
      return `evident evidence ${service}`;
    default:
      return `evident explain ${service}`;
  }
}
