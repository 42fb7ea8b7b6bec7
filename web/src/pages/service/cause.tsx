import { Link } from 'wouter';
import type { Claim } from '../../../../src/contract/claim.ts';
import { isHeadline } from '../../../../src/contract/presentation/error-lines/failure-output.ts';
import { markedParts } from '../../../../src/contract/presentation/named-in-log.ts';
import { preciseTime } from '../../../../src/contract/presentation/times.ts';
import { Moment } from '../../parts/moment.tsx';
import type { ShownFailure } from './failure.ts';
import { lineAddress } from './log-address.ts';
import { ChangeChips } from './revisions/change-chips.tsx';
import { tabAddress } from './tabs.ts';

interface Props {
  readonly claim: Claim;
  readonly failure: ShownFailure;
  /** The past instant that is shown; null: now. */
  readonly at: string | null;
}

/** The lines of its output that name a cause, as the command line shows them, and what this revision changed. */
export function Cause({ claim, failure, at }: Props) {
  const { output, sources, changes, named } = failure;
  const { service, desired } = claim;
  const name = output.headline === null ? 'The end of its output' : 'Its log says';
  // Of several lines that name it, the last: the log is read from its end.
  const headline = sources.findLast((_, i) => isHeadline(output, output.lines[i] ?? ''));
  return (
    <section className="cause" aria-label={name}>
      <header>
        <h3 className="tone-failed">{headOf(claim) ?? name}</h3>
        <Link href={headline == null ? tabAddress(service, 'logs', at) : lineAddress(service, headline, at)}>
          Whole log
        </Link>
      </header>
      <div className="log-lines mono">
        {output.lines.map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one output never move
          <div key={i} className={isHeadline(output, line) ? 'headline' : ''}>
            <LineTime at={sources[i]?.at ?? null} />
            <span>
              {markedParts(line, named).map(({ text, isName }, part) =>
                // biome-ignore lint/suspicious/noArrayIndexKey: nor do the parts of a line
                isName ? <mark key={part}>{text}</mark> : text,
              )}
            </span>
          </div>
        ))}
      </div>
      {changes.length > 0 && (
        <p className="changed">
          <span className="soft">r{desired.revision} changed</span>
          <ChangeChips changes={changes} named={named} />
          <Link href={`${tabAddress(service, 'revisions')}?to=${desired.revision}`}>Compare</Link>
        </p>
      )}
    </section>
  );
}

function LineTime({ at }: { readonly at: string | null }) {
  if (at === null) return <time />;
  return <Moment at={at}>{preciseTime(at)}</Moment>;
}

function headOf({ cause }: Claim): string | null {
  const { exitCode, exits } = cause?.params ?? {};
  if (exitCode !== undefined) return `Exit code ${exitCode}`;
  return exits === undefined ? null : 'It exits';
}
