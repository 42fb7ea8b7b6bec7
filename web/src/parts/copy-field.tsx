import '../styles/copy-field.css';
import { type ReactNode, useEffect, useRef, useState } from 'react';

/**
 * A line to be copied, with the buttons beside it as children. It is selected at once where it is what the page is about,
 * and quiet where it is one advice among others.
 */
export function CopyField({
  label,
  value,
  isQuiet = false,
  children,
}: {
  readonly label: string;
  readonly value: string;
  readonly isQuiet?: boolean;
  readonly children?: ReactNode;
}) {
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState<string | null>(null);
  useEffect(() => {
    if (!isQuiet) field.current?.select();
  }, [isQuiet]);
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
        <button type="button" className={isQuiet ? '' : 'primary'} onClick={copy}>
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
