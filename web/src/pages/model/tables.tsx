import type { ReactNode } from 'react';
import type { ModelView } from '../../../../src/contract/answers/model-view.ts';
import { wordOf } from '../../../../src/contract/presentation/words.ts';
import type { State } from '../../../../src/contract/vocabulary.ts';
import { Marked } from '../../parts/marked.tsx';
import { matching } from './selection.ts';

interface Props {
  readonly model: ModelView;
  readonly search: string;
  readonly onSearch: (text: string) => void;
}

/** The tables of the model beside the states, with one search for all three. */
export function Tables({ model, search, onSearch }: Props) {
  const kinds = matching(
    model.kinds,
    search,
    (k) => `${k.kind} ${k.proves} ${k.roles.join(' ')} ${k.enters}`,
  );
  const reasons = matching(model.reasons, search, (r) => `${r.reason} ${r.when} ${r.owner} ${r.advice}`);
  const causes = matching(
    model.causes,
    search,
    (c) => `${c.code} ${c.states.join(' ')} ${c.owner} ${c.action ?? ''} ${c.user} ${c.operator}`,
  );
  const isSearched = search !== '';
  const count = kinds.length + reasons.length + causes.length;
  return (
    <>
      <search className="look-up">
        <label className="search">
          <span className="visually-hidden">Search kinds, verdicts and causes</span>
          <input
            type="search"
            placeholder="Search kinds, verdicts and causes"
            value={search}
            onChange={(e) => onSearch(e.target.value)}
          />
          <kbd aria-hidden="true">/</kbd>
        </label>
        <span className="soft" role="status">
          {!isSearched ? '' : count === 0 ? 'Nothing in the model matches.' : `${count} found`}
        </span>
      </search>
      <Table
        title="Evidence kinds"
        head={['Kind', 'Proves', 'Roles', 'Enters by', 'Under a lease']}
        rows={kinds.map((k) => [k.kind, k.proves, k.roles.join(', '), k.enters, k.fenced ? 'yes' : 'no'])}
        isOpen={isSearched}
      />
      <Table
        title="Verdicts, in the order in which they are checked"
        head={['Verdict', 'When', 'What to do', 'Whose move', 'Alarm']}
        rows={reasons.map((r) => [r.reason, r.when, r.advice, r.owner, r.alarm ? 'yes' : 'no'])}
        isOpen={isSearched}
      />
      <Table
        title="Causes"
        head={['Cause', 'Users read', 'Operators read', 'States', 'Whose move', 'Retry safe']}
        rows={causes.map((c) => [
          c.code,
          c.user,
          c.operator,
          c.states.map((state) => wordOf(state as State)).join(', '),
          c.owner,
          c.retrySafe ? 'yes' : 'no',
        ])}
        isOpen={isSearched}
      />
    </>
  );
}

interface TableProps {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly isOpen: boolean;
}

function Table({ title, head, rows, isOpen }: TableProps): ReactNode {
  if (rows.length === 0) return null;
  return (
    <details className="card part look" open={isOpen}>
      <summary>
        <h2>{title}</h2> <span className="soft">{rows.length}</span>
      </summary>
      <table className="rows words">
        <thead>
          <tr>
            {head.map((text) => (
              <th key={text} scope="col">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name = '', first = '', ...more]) => (
            <tr key={name}>
              <th scope="row" className="mono">
                {name}
              </th>
              <td>
                <Marked text={first} />
              </td>
              {more.map((text, i) => (
                <td key={head[i + 2]} data-label={head[i + 2]?.toLowerCase()} className="soft">
                  <Marked text={text} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
