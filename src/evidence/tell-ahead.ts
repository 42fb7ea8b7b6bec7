import { randomInt } from 'node:crypto';
import type { Digits } from '../contract/digits.ts';
import { claim } from '../projection/claim.ts';
import type { ReadTx } from '../store/port.ts';
import type { JudgedAhead, ToldAhead } from './door/judge-ahead.ts';
import { operatorDetails } from './read.ts';

/** Stands for the position until there is one. Above every position; nobody outside can know it, and write it into a claim. */
const PLACE: Digits = `9${Array.from({ length: 39 }, () => randomInt(10)).join('')}`;

/** A longer claim is computed when it is sent: what is kept ahead has a bound. */
const LONGEST = 6_000;

/**
 * Prepares the texts of the claims that viewers will be sent of services judged ahead: each as of the last instant that
 * its judgement names. `position` is the head of the snapshot from which they were read.
 */
export async function tellAhead(tx: ReadTx, judged: readonly JudgedAhead[], position: Digits): Promise<void> {
  const details = await operatorDetails(
    tx,
    judged.map(({ file }) => ({ file, position })),
  );
  for (const [i, one] of judged.entries()) {
    const operator = details[i];
    if (operator !== undefined) one.told = toldAhead(one, operator);
  }
}

function toldAhead(
  { file, transition, rows }: JudgedAhead,
  detail: Awaited<ReturnType<typeof operatorDetails>>[number],
): ToldAhead | null {
  const from = rows.at(-1)?.from;
  if (from === undefined) return null;
  const judged = file.standing(from);
  const { operator, ...user } = claim(file.intent, file.facts, from, {
    position: PLACE,
    operator: detail,
    judged,
  });
  if (user.state !== transition.to) return null;
  const [forUser, forOperator] = [JSON.stringify(user), JSON.stringify(operator)];
  if (forUser.length + forOperator.length > LONGEST) return null;
  const [pieces, own] = [
    `${forUser.slice(0, -1)},"operator":${forOperator}}`.split(PLACE),
    forUser.split(PLACE),
  ];
  // The longer text is kept; the other is its beginning.
  const [shared, end] = [own.length - 1, own.at(-1) ?? ''];
  return {
    from,
    textFor: (audience, at) =>
      (audience === 'operator' ? pieces : [...pieces.slice(0, shared), end]).join(at),
  };
}
