import {
  changedByRollback,
  fieldName,
  signOf,
  valueText,
} from '../../../../src/contract/presentation/changes.ts';
import { madeOf } from '../../../../src/contract/presentation/revision-changes.ts';
import { useWholeRevision } from './failure.ts';

interface Props {
  readonly service: string;
  /** The revision that is wanted now, and the one to go back to. */
  readonly from: number;
  readonly goal: number;
  /** The copies that serve after it, where they are not as many as now. */
  readonly copies: string | null;
}

/** More are counted: the question must stay in sight. */
const LISTED = 6;

/** Everything that a rollback changes, before it is confirmed: what comes back, what goes, what becomes what. */
export function RollbackChanges({ service, from, goal, copies }: Props) {
  const whole = useWholeRevision(service, goal, from);
  const base = useWholeRevision(service, from);
  if (whole === undefined || base === undefined) return <p className="soft">Reading what changes …</p>;
  const changes = changedByRollback([...whole.changes, ...madeOf(base, whole)]);
  if (changes.length === 0 && copies === null)
    return <p className="soft">r{goal} has the same configuration.</p>;
  return (
    <table className="rollback-changes mono">
      <caption className="visually-hidden">What changes</caption>
      <tbody>
        {copies !== null && (
          <tr className="copies-after">
            <td aria-hidden="true">~</td>
            <th scope="row">copies</th>
            <td>{copies}</td>
          </tr>
        )}
        {changes.slice(0, LISTED).map(({ field, kind, from: before, to }) => (
          <tr key={field}>
            <td aria-hidden="true">{signOf({ field, kind })}</td>
            <th scope="row">{fieldName(field)}</th>
            <td>
              {kind === 'added'
                ? `comes back: ${valueText(to, field)}`
                : kind === 'removed'
                  ? 'removed'
                  : `${valueText(before, field)} → ${valueText(to, field)}`}
            </td>
          </tr>
        ))}
        {changes.length > LISTED && (
          <tr>
            <td />
            <td colSpan={2}>{changes.length - LISTED} more</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
