import type { Stop } from '../../../../../src/contract/presentation/life.ts';
import { Moment } from '../../../parts/moment.tsx';
import { cameNext } from './came-next.ts';

interface Props {
  readonly stops: readonly Stop[];
  readonly at: number;
  readonly revision: number;
  /** The server's time. */
  readonly now: number;
  readonly go: (at: string | null) => void;
}

/** The third part of the case file in the past: what is safe next is known by now, because it happened. */
export function WhatCameNext({ stops, at, revision, now, go }: Props) {
  const next = cameNext(stops, at, revision, now);
  return (
    <div className="came-next">
      {next === null ? (
        <p>Nothing has changed since then.</p>
      ) : (
        <p>
          <b>
            <Moment at={next.at}>{next.when}</Moment>
          </b>{' '}
          {next.what}
        </p>
      )}
      <p className="ways">
        {next !== null && (
          <button type="button" className="link" onClick={() => go(next.at)}>
            Go to {next.time}
          </button>
        )}
      </p>
      <p className="soft">Nothing can be done in the past.</p>
    </div>
  );
}
