import {
  besideEachOther,
  type WorkloadView,
  warningSentence,
  workloadSentence,
} from '../../../../src/contract/presentation/workload.ts';
import { DeclaredTable } from './declared-table.tsx';

interface Props {
  readonly workload: WorkloadView;
  /** The active revision. */
  readonly desired: number;
  /** The claim is of now: what was observed counts. */
  readonly isKnown: boolean;
  /** The server's time. */
  readonly now: number;
}

/** The object in a cluster that the service stands for: what it declares beside what is observed, and warnings of it. */
export function Workload({ workload, desired, isKnown, now }: Props) {
  const { warnings = [] } = workload;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
    <section className="card scroll" aria-label="Declared and observed" tabIndex={0}>
      <h2>Declared and observed</h2>
      <p className="soft">{workloadSentence(workload)}</p>
      <DeclaredTable rows={besideEachOther(workload, desired)} isKnown={isKnown} />
      {warnings.length > 0 && (
        <>
          <h3>Warnings of the cluster</h3>
          <ul className="warnings">
            {warnings.map((warning) => (
              <li key={`${warning.about} ${warning.reason}`}>{warningSentence(warning, now)}</li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
