import { Link } from 'wouter';
import { StateMark } from '../../parts/state-mark.tsx';
import type { ServiceCount } from './counts.ts';

interface Props {
  /** Null while they are not read yet. */
  readonly counts: readonly ServiceCount[] | null;
  /** Names of the scopes that cannot be read: what is in them is not counted. */
  readonly unread: readonly string[];
}

/** The services of a target, by what is proven of them now; each count leads to the list of them. */
export function ServiceCounts({ counts, unread }: Props) {
  if (counts === null) return <span className="soft">…</span>;
  const isNone = counts.length === 0 && unread.length === 0;
  return (
    <span className="service-counts">
      {isNone && <span className="soft">none</span>}
      {counts.map(({ mark, word, count, address, isLastKnown }) => (
        <Link key={word} href={address} title={`${count} ${word}`}>
          <i className={`tone-${mark}`}>
            <StateMark state={mark} />
          </i>
          <span className={isLastKnown ? 'last-known' : ''}>
            {count} {word}
          </span>
        </Link>
      ))}
      {unread.length > 0 && <span className="soft">not known in {unread.join(', ')}</span>}
    </span>
  );
}
