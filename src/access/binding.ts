import { targetOf } from '../contract/names.ts';
import type { Caller } from './caller.ts';

/** The binding of a token: patterns of targets and of services. */
export type Binding = Pick<Caller, 'target' | 'service'>;

export const isUnbound = ({ target, service }: Binding) => target === '*' && service === '*';

/**
 * True if the binding covers a service's name and target. A service whose name cannot be read is in no
 * binding.
 */
export function isBoundTo({ target, service }: Binding, ref: string | undefined): boolean {
  if (ref === undefined) return isUnbound({ target, service });
  return covers(service, ref) && covers(target, targetOf(ref));
}

/**
 * True if the binding covers a whole target, as an agent's must: bound to some of its services, it would
 * report the others as gone.
 */
export function spansTarget({ target, service }: Binding, name: string): boolean {
  return covers(target, name) && covers(service, `*@${name}`);
}

/**
 * True if a target is shown to a caller: the binding covers it, and for a binding to certain services it has one of
 * these. A target whose name cannot be read is shown to callers that are bound to nothing.
 */
export function seesTarget(
  { target, service }: Binding,
  name: string | undefined,
  hasServiceInBinding: (target: string) => boolean,
): boolean {
  if (name === undefined) return isUnbound({ target, service });
  return covers(target, name) && (service === '*' || hasServiceInBinding(name));
}

/**
 * True if a worker is shown to a caller: it works for nobody outside the caller's binding, or it may work on one of
 * `services`, the services there are inside it. A worker whose binding cannot be read is shown to callers that are bound
 * to nothing. Rejected: all workers that could have a service in common with the caller. One builder for everybody, or
 * the agent of another target, would then show itself to somebody who has nothing there.
 */
export function seesWorker(
  caller: Binding,
  { target, service }: Partial<Binding>,
  services: readonly string[],
): boolean {
  if (isUnbound(caller)) return true;
  if (target === undefined || service === undefined) return false;
  if (covers(caller.target, target) && covers(caller.service, service)) return true;
  return services.some((ref) => isBoundTo({ target, service }, ref));
}

/** True if a value matches a pattern in which `*` stands for any run of characters. */
export function covers(pattern: string, value: string): boolean {
  if (pattern === '*' || pattern === value) return true;
  const [head = '', ...rest] = pattern.split('*');
  if (rest.length === 0 || !value.startsWith(head)) return false;
  let at = head.length;
  const tail = rest.pop() ?? '';
  for (const piece of rest) {
    const found = value.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return value.length - tail.length >= at && value.endsWith(tail);
}
