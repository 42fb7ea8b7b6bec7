import { Link } from 'wouter';
import { StateMark } from '../../parts/state-mark.tsx';
import type { ServiceCount } from './target-rows.ts';

interface Props {
  readonly target: string;
  /** Undefined while they are not read yet. */
  readonly counts: readonly ServiceCount[] | undefined;
}

/** The services of a target, by what is proven of them now. */
export function ServiceCounts({ target, counts }: Props) {
  if (counts === undefined) return <span className="soft">none</span>;
  return (
    <Link href={`/?target=${target}`} className="service-counts">
      {counts.map(({ mark, word, count }) => (
        <span key={word} title={`${count} ${word}`}>
          <i className={`tone-${mark}`}>
            <StateMark state={mark} />
          </i>
          {count}
          <span className="visually-hidden"> {word}</span>
        </span>
      ))}
    </Link>
  );
}
