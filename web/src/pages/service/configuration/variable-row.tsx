import { looksSecret } from '../../../../../src/contract/presentation/looks-secret.ts';
import { Icon } from '../../../parts/icon.tsx';
import type { DraftVariable } from './draft.ts';

interface Props {
  readonly variable: DraftVariable;
  readonly onChange: (next: DraftVariable) => void;
  readonly onRemove: () => void;
}

/** One variable of the environment: its name, its value, and whether anybody may read that again. */
export function VariableRow({ variable, onChange, onRemove }: Props) {
  const { name, value, isSecret, was } = variable;
  const label = name === '' ? 'new variable' : name;
  const looksLikeSecret = !isSecret && looksSecret(name, value);
  return (
    <p className="variable">
      <input
        className="mono"
        aria-label={`Name of ${label}`}
        placeholder="NAME"
        // biome-ignore lint/a11y/noAutofocus: somebody has just asked for a new line
        autoFocus={was === null && name === ''}
        pattern="[A-Za-z_][A-Za-z0-9_]{0,254}"
        title="Letters, digits and _, not beginning with a digit"
        value={name}
        onChange={(e) => onChange({ ...variable, name: e.target.value })}
      />
      <input
        className="mono"
        aria-label={`Value of ${label}`}
        type={isSecret || looksLikeSecret ? 'password' : 'text'}
        autoComplete="off"
        // biome-ignore lint/a11y/noAutofocus: somebody has come to set it
        autoFocus={was === null && name !== '' && value === ''}
        placeholder={
          !isSecret ? 'value' : was === null ? 'a secret' : 'a secret is set; type a new one to replace it'
        }
        value={value}
        onChange={(e) => onChange({ ...variable, value: e.target.value })}
      />
      <label>
        <input
          type="checkbox"
          checked={isSecret}
          aria-label={`${label} is a secret`}
          onChange={(e) => onChange({ ...variable, isSecret: e.target.checked })}
        />{' '}
        secret
      </label>
      <button type="button" className="plain" aria-label={`Remove ${label}`} onClick={onRemove}>
        <Icon name="close" />
      </button>
      {looksLikeSecret && (
        <span className="soft hint">Looks like a secret: check “secret”, and nobody reads it again.</span>
      )}
    </p>
  );
}
