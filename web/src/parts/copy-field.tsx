import { type ReactNode, useEffect, useRef, useState } from 'react';

/** A line to be copied, selected at once; the buttons beside it are the children. */
export function CopyField({
  label,
  value,
  children,
}: {
  readonly label: string;
  readonly value: string;
  readonly children?: ReactNode;
}) {
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState<string | null>(null);
  useEffect(() => field.current?.select(), []);
  const copy = async () => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(value);
      setCopied('Copied.');
    } catch {
      // A page without TLS may not write to the clipboard.
      setCopied('This browser does not let the page copy. It is selected: copy it by hand.');
    }
  };
  return (
    <>
      <p className="secret">
        <input
          ref={field}
          className="mono"
          readOnly
          value={value}
          aria-label={label}
          onFocus={(e) => e.target.select()}
        />
        <button type="button" className="primary" onClick={copy}>
          Copy
        </button>
        {children}
      </p>
      <p className="soft" role="status">
        {copied}
      </p>
    </>
  );
}
