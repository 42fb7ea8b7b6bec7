import type { DeclaredBesideObserved } from '../../../../src/contract/presentation/workload.ts';
import { Icon } from '../../parts/icon.tsx';
import { StateMark } from '../../parts/state-mark.tsx';

interface Props {
  readonly rows: readonly DeclaredBesideObserved[];
  /** The claim is of now: what was observed counts. */
  readonly isKnown: boolean;
}

/** Shows the declared value, the observed one beside it, and whether they are the same. */
export function DeclaredTable({ rows, isKnown }: Props) {
  return (
    <table className="instances declared">
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">What</span>
          </th>
          <th scope="col">Declared</th>
          <th scope="col">{isKnown ? 'Observed' : 'Last observed'}</th>
          <th scope="col">
            <span className="visually-hidden">The same</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ what, declared, observed, agrees }) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td data-label="declared">{declared}</td>
            <td data-label={isKnown ? 'observed' : 'last observed'}>
              {isKnown ? observed : <span className="last-known">{observed}</span>}
            </td>
            <td className="agrees">
              <Agreement agrees={agrees} isKnown={isKnown} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface AgreementProps {
  /** Null: the two cannot be compared. */
  readonly agrees: boolean | null;
  readonly isKnown: boolean;
}

/** Marks whether a row agrees; of something last observed nobody knows it now. */
function Agreement({ agrees, isKnown }: AgreementProps) {
  if (agrees === null) return null;
  const word = isKnown ? (agrees ? 'as declared' : 'differs') : 'not known now';
  return (
    <span title={word} className={isKnown ? (agrees ? 'soft' : '') : 'tone-unknown'}>
      {isKnown ? <Icon name={agrees ? 'same' : 'differs'} /> : <StateMark state="unknown" />}
      <span className="visually-hidden">{word}</span>
    </span>
  );
}
