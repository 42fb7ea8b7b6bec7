import '../../../styles/revisions.css';
import type { FieldChangeView } from '../../../../../src/contract/answers/views.ts';
import { fieldName, fromText, signOf, valueText } from '../../../../../src/contract/presentation/changes.ts';

interface Props {
  readonly changes: readonly FieldChangeView[];
  /** Changed names that the shown log names too. */
  readonly named?: ReadonlySet<string>;
  /** The rest is counted. */
  readonly most?: number;
}

/** The changes of a revision, as short as they can be read. */
export function ChangeChips({ changes, named = NOTHING, most = 8 }: Props) {
  const shown = changes.slice(0, most);
  return (
    <>
      {shown.map((change) => (
        <span key={change.field} className={`change change-${change.kind}`}>
          <b aria-hidden="true">{signOf(change)}</b>
          <span className="visually-hidden">{change.kind} </span>
          <span className="mono">
            {fieldName(change.field)}
            {change.field === 'replicas' && ` ${fromText(change)} → ${valueText(change.to, change.field)}`}
          </span>
          {named.has(fieldName(change.field)) && <em>named in the log</em>}
        </span>
      ))}
      {changes.length > shown.length && (
        <span className="soft">and {changes.length - shown.length} more</span>
      )}
    </>
  );
}

const NOTHING: ReadonlySet<string> = new Set();
