import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { NextStep } from '../../../../../src/contract/presentation/next-step.ts';
import { CopyField } from '../../../parts/copy-field.tsx';
import { PrimaryPlace } from './primary-place.tsx';

/** A way of going on as a button or a link, with what it does. */
export interface Way {
  readonly label: string;
  readonly note: string;
  /** The address it leads to; else it asks. */
  readonly href?: string;
  readonly action?: string;
  readonly onAsk?: () => void;
}

interface Props {
  /** The move in one sentence: it names what the first button does. */
  readonly lead: string;
  readonly first: Way | null;
  /** Where the fix is in somebody's code: the line that deploys it again. */
  readonly line: Extract<NextStep, { kind: 'deploy' }>['command'] | null;
  /** The other way that the sentence leaves open. */
  readonly second: Way | null;
  readonly children?: ReactNode;
}

/** What is safe next: a sentence, and one loud button that does what the sentence says. */
export function SafeStep({ lead, first, line, second, children }: Props) {
  return (
    <>
      <p>{lead}</p>
      {first !== null && (
        <>
          <PrimaryPlace>
            <WayButton way={first} className="primary wide" />
          </PrimaryPlace>
          {first.note !== '' && <p className="note soft">{first.note}</p>}
        </>
      )}
      {line !== null && (
        <>
          <CopyField isQuiet label="The line that deploys it" value={line} />
          <p className="note soft">
            Correct it in the folder of the app, then run this line there. It makes the next revision.
          </p>
        </>
      )}
      {second !== null && (
        <>
          <WayButton way={second} className="second wide" />
          <p className="note soft">{second.note}</p>
        </>
      )}
      {children}
    </>
  );
}

function WayButton({ way, className }: { readonly way: Way; readonly className: string }) {
  const { label, href, action, onAsk } = way;
  if (href !== undefined)
    return (
      <Link href={href} className={className}>
        {label}
      </Link>
    );
  return (
    <button type="button" className={className} data-action={action} onClick={onAsk}>
      {label}
    </button>
  );
}
