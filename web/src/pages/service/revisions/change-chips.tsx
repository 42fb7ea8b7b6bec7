import '../../../styles/revisions.css';
import type { FieldChangeView } from '../../../../../src/contract/answers/views.ts';
import { fieldName, signOf } from '../../../../../src/contract/presentation/changes.ts';
import { shortChange } from '../../../../../src/contract/presentation/revision-changes.ts';

interface Props {
  readonly changes: readonly FieldChangeView[];
  /** Changed names that the shown log names too. */
  readonly named?: ReadonlySet<string>;
  /** The rest is counted, with those that are not even here. */
  readonly most?: number;
  readonly more?: number;
}

/** The changes of a revision, as short as they can be read. */
export function ChangeChips({ changes, named = NOTHING, most = 8, more = 0 }: Props) {
  const shown = changes.slice(0, most);
  const others = changes.length - shown.length + more;
  return (
    <>
      {shown.map((change) => (
        <span key={change.field} className={`change change-${change.kind}`}>
          <b aria-hidden="true">{signOf(change)}</b>
          <span className="visually-hidden">{change.kind} </span>
          <span className="mono">{shortChange(change)}</span>
          {named.has(fieldName(change.field)) && <em>named in the log</em>}
        </span>
      ))}
      {others > 0 && <span className="soft">and {others} more</span>}
    </>
  );
}

const NOTHING: ReadonlySet<string> = new Set();
