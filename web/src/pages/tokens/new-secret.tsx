import { useEffect, useId, useRef, useState } from 'react';
import type { NewTokenView } from '../../../../src/contract/answers/views.ts';

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
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const [copied, setCopied] = useState<string | null>(null);
  useEffect(() => field.current?.select(), []);
  const copy = async () => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(created.token);
      setCopied('Copied.');
    } catch {
      // A page without TLS may not write to the clipboard.
      setCopied('This browser does not let the page copy. It is selected: copy it by hand.');
    }
  };
  return (
    <section className="card once" aria-labelledby={id}>
      <h2 id={id}>The new token</h2>
      <p>
        <b>
          {created.role} {created.name}
        </b>{' '}
        It is shown this once: nobody can read it again.
      </p>
      <p className="secret">
        <input
          ref={field}
          className="mono"
          readOnly
          value={created.token}
          aria-label="The new token"
          onFocus={(e) => e.target.select()}
        />
        <button type="button" className="primary" onClick={copy}>
          Copy
        </button>
        <button type="button" onClick={onStored}>
          I have kept it
        </button>
      </p>
      <p className="soft" role="status">
        {copied}
      </p>
    </section>
  );
}
