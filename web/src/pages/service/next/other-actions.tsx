import { Link } from 'wouter';
import type { Button } from '../../../../../src/contract/presentation/buttons.ts';

interface Props {
  readonly buttons: readonly (Button & { readonly label: string })[];
  /** The address of the configuration; null: the safe step leads there, or nobody may change it. */
  readonly configuration: string | null;
  /** Says that nobody sees now what they would meet, or that they are not safe; null: neither. */
  readonly warning: string | null;
  readonly onAsk: (button: Button) => void;
}

/** What else can be requested, apart from what is safe next: a teardown is possible, and nobody advises it. */
export function OtherActions({ buttons, configuration, warning, onAsk }: Props) {
  if (buttons.length === 0 && configuration === null) return null;
  return (
    <section aria-label="Other actions" className="other-actions">
      <h2 className="soft">Other actions</h2>
      {warning !== null && buttons.length > 0 && <p className="unseen tone-unknown">{warning}</p>}
      <p className="quiet-actions">
        {configuration !== null && (
          <Link href={configuration} className="quiet-action">
            Edit configuration
          </Link>
        )}
        {buttons.map((button) => (
          <button
            key={button.action}
            type="button"
            className={button.action === 'teardown' ? 'quiet-action grave' : 'quiet-action'}
            data-action={button.action}
            onClick={() => onAsk(button)}
          >
            {button.label}
            {button.forcible !== null && ' …'}
          </button>
        ))}
      </p>
    </section>
  );
}
