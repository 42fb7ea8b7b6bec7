import '../../../styles/revisions.css';
import type { ReactNode } from 'react';
import type { FieldChangeView } from '../../../../../src/contract/answers/views.ts';
import {
  CHANGE_GROUPS,
  fieldName,
  fromText,
  groupOfField,
  signOf,
  valueText,
} from '../../../../../src/contract/presentation/changes.ts';

interface Props {
  readonly changes: readonly FieldChangeView[];
  readonly before: ReactNode;
  readonly after: ReactNode;
  /** Changed names that the end of its log names too: a coincidence worth a look, and never called the cause. */
  readonly named?: ReadonlySet<string>;
}

/** Changed fields, before beside after, by the part of the configuration that they belong to. */
export function ChangeTable({ changes, before, after, named }: Props) {
  return (
    <table className="change-table">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">{before}</th>
          <th scope="col">{after}</th>
        </tr>
      </thead>
      {CHANGE_GROUPS.map((group) => {
        const own = changes.filter(({ field }) => groupOfField(field) === group);
        if (own.length === 0) return null;
        return (
          <tbody key={group}>
            <tr>
              <th scope="rowgroup" colSpan={3} className="group">
                {group}
              </th>
            </tr>
            {own.map(({ field, kind, from, to }) => (
              <tr key={field} className={`change-${kind}`}>
                <th scope="row" className="mono">
                  <b aria-hidden="true">{signOf({ field, kind })}</b>
                  <span className="visually-hidden">{kind} </span>
                  {fieldName(field)}
                </th>
                <td className="mono from">{fromText({ field, from })}</td>
                <td className="mono to">
                  {kind === 'removed' ? 'removed' : valueText(to, field)}
                  {named?.has(fieldName(field)) && <em>named in the log</em>}
                </td>
              </tr>
            ))}
          </tbody>
        );
      })}
    </table>
  );
}
