import type { DeclaredBesideObserved } from '../../../../src/contract/presentation/workload.ts';

interface Props {
  readonly rows: readonly DeclaredBesideObserved[];
  /** The claim is of now: what was observed counts. */
  readonly isKnown: boolean;
}

/** What was asked for, and beside it what was seen. */
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
        </tr>
      </thead>
      <tbody>
        {rows.map(({ what, declared, observed }) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td data-label="declared">{declared}</td>
            <td data-label={isKnown ? 'observed' : 'last observed'}>
              {isKnown ? observed : <span className="last-known">{observed}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
