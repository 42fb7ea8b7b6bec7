import { useId } from 'react';
import type { NewTokenView } from '../../../../src/contract/answers/views.ts';
import { CopyField } from '../../parts/copy-field.tsx';

/**
 * The secret of a new token. The server stores only its hash, so this page shows it until somebody has stored
 * it.
 */
export function NewSecret({
  created,
  onStored,
}: {
  readonly created: NewTokenView;
  readonly onStored: () => void;
}) {
  const id = useId();
  return (
    <section className="card once" aria-labelledby={id}>
      <h2 id={id}>The new token</h2>
      <p>
        <b>
          {created.role} {created.name}
        </b>{' '}
        It is shown this once: nobody can read it again.
      </p>
      <CopyField label="The new token" value={created.token}>
        <button type="button" onClick={onStored}>
          I have kept it
        </button>
      </CopyField>
    </section>
  );
}
