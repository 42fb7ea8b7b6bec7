import { Icon } from '../../parts/icon.tsx';

interface Props {
  readonly targets: readonly string[];
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

/** More names than this are only counted. */
const NAMED = 5;

/** Says once of all targets without an agent what is so there, and what to do; their rows follow if somebody asks. */
export function WithoutAgent({ targets, isOpen, onToggle }: Props) {
  const named = targets.slice(0, NAMED).join(', ');
  const more = targets.length - NAMED;
  return (
    <tbody>
      <tr className="without-agent">
        <td colSpan={7}>
          <button type="button" className="plain" aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
            <Icon name={isOpen ? 'down' : 'right'} />
            <b>{targets.length.toLocaleString('en')} targets have no agent</b>
          </button>{' '}
          <span className="mid">
            {named}
            {more > 0 && ` and ${more.toLocaleString('en')} more`}. Nothing can be deployed there, and nothing
            is seen. Start one: <code>evident agent --target TARGET</code>
          </span>
        </td>
      </tr>
    </tbody>
  );
}
