import { VisibleService } from '../../src/access/visible-service.ts';
import type { Lab } from './driver.ts';
import { WEB } from './names.ts';

/** A service as an operator of the lab's org may read it. */
export function visible(lab: Pick<Lab, 'caller'>, service = WEB): VisibleService {
  const answer = VisibleService.authorized(lab.caller('ola', 'operator'), 'inspect', service);
  if (!answer.ok) throw new Error(answer.detail);
  return answer.visible;
}
