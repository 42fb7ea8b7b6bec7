import { useState } from 'react';

/** Copies a text that the page shows in another form. */
export function CopyText({ text }: { readonly text: string }) {
  const [said, say] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say('Copied.');
    } catch {
      // A page without TLS may not write to the clipboard.
      say('This browser does not let the page copy.');
    }
  };
  return (
    <>
      <button type="button" className="copy-text" onClick={copy}>
        Copy as text
      </button>
      <span className="soft" role="status">
        {said}
      </span>
    </>
  );
}
