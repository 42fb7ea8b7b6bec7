import type { ObjectVerdict, VerdictName } from '../../kubernetes/verdict/verdict.ts';
import type { Tone } from '../proof/line.ts';
import { type Cell, table, tableStyle } from '../table.ts';

/** One entry of `evident inspect -o json`. */
export interface InspectedObject extends ObjectVerdict {
  readonly kind: string;
  readonly namespace: string | null;
  readonly name: string;
}

/** Two parts of 253 characters are the longest that Kubernetes allows; shown are those that a person reads. */
const LONGEST_NAME = 120;

const TONES: Readonly<Record<VerdictName, Tone>> = {
  ready: 'good',
  suspended: 'quiet',
  stopped: 'quiet',
  progressing: 'busy',
  degraded: 'bad',
  failed: 'bad',
  unknown: 'doubt',
};

/** One line per object; `wide` has the facts instead of the sentence. */
export function inspectTable(inspected: readonly InspectedObject[], wide: boolean, colour: boolean): string {
  const head = ['VERDICT', 'NAMESPACE', 'OBJECT', 'REASON', 'MOVE', wide ? 'FACTS' : 'IN WORDS'];
  const rows = inspected.map(({ kind, namespace, name, verdict, reason, owner, user, operator }): Cell[] => [
    [verdict, TONES[verdict]],
    printable(namespace ?? ''),
    printable(`${kind}/${name}`),
    printable(reason ?? ''),
    owner === 'none' ? '' : owner,
    wide ? operator : user,
  ]);
  // Whole on a narrow terminal too: no other form prints the sentence.
  return table(head, rows, tableStyle(process.stdout, colour, true));
}

/** Names come from outside: they could steer a terminal, or make every line as long as the longest of them. */
const printable = (text: string) => text.slice(0, LONGEST_NAME).replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ');
