import type { Claim } from '../../contract/claim.ts';
import { targetOf } from '../../contract/names.ts';

/** The command to type next for the action that the claim names; null where nobody has to act. */
export function nextCommandLine({ service, next, state }: Claim): string | null {
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
      return state === 'failed' ? `evident retry ${service}` : `evident agent --target ${targetOf(service)}`;
    case 'investigate':
      return `evident evidence ${service}`;
    default:
      return `evident explain ${service}`;
  }
}
