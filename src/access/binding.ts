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
 * True if a worker is shown to a caller: some service could be in both their bindings. A worker whose binding cannot be
 * read is shown to callers that are bound to nothing.
 */
export function seesWorker(caller: Binding, worker: Partial<Binding>): boolean {
  if (isUnbound(caller)) return true;
  const { target, service } = worker;
  if (target === undefined || service === undefined) return false;
  const patterns = (binding: Binding) => [binding.service, `*@${binding.target}`];
  return patterns(caller).every((own) =>
    patterns({ target, service }).every((theirs) => overlap(own, theirs)),
  );
}

/** True if some text matches both patterns. */
function overlap(a: string, b: string): boolean {
  // Row by row: whether the beginnings of both up to here match some text in common.
  let row = Array.from({ length: b.length + 1 }, (_, j) => /^\**$/.test(b.slice(0, j)));
  for (const letter of a) {
    const next = [letter === '*' && row[0] === true];
    for (let j = 1; j <= b.length; j++) {
      const other = b.charAt(j - 1);
      next[j] =
        letter === '*' || other === '*'
          ? row[j] === true || next[j - 1] === true
          : letter === other && row[j - 1] === true;
    }
    row = next;
  }
  return row[b.length] === true;
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
