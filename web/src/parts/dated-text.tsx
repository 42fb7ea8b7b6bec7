import { Fragment } from 'react';
import type { Claim } from '../../../src/contract/claim.ts';
import { type DatedPiece, datedPieces } from './dated-pieces.ts';
import { Moment } from './moment.tsx';

interface Props {
  readonly text: string;
  /** The moments that its words may name. */
  readonly moments: readonly (string | number)[];
  /** The server's time, by which ages in it are counted; null where it names none. */
  readonly serverNow: number | null;
}

/** A sentence in which each moment shows UTC on hover, and what stands between backticks is code. */
export function DatedText({ text, moments, serverNow }: Props) {
  return datedPieces(text, moments, serverNow).map(({ text: words, at, from }: DatedPiece) =>
    at === null ? (
      <Fragment key={from}>
        {words.split('`').map((part, i) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence never move
          i % 2 === 1 ? <code key={i}>{part}</code> : part,
        )}
      </Fragment>
    ) : (
      <Moment key={from} at={at}>
        {words}
      </Moment>
    ),
  );
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** The moments that sentences about a claim name: they are fields of it, or parameters of its cause. */
export function momentsOf({ since, now, lastKnown, lastServing, expecting, cause }: Claim): string[] {
  const params = Object.values(cause?.params ?? {}).map(String);
  return [since, now, lastKnown?.at, lastServing?.asOf, expecting?.by, expecting?.endsAt, ...params].filter(
    (one): one is string => one != null && INSTANT.test(one),
  );
}
