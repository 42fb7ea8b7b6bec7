import { Fragment, type ReactNode } from 'react';

interface Props {
  readonly text: string;
  /** Returns the link for a name, or null. */
  readonly link?: (name: string) => ReactNode | null;
}

/** Text of the model, with names between backticks. */
export function Marked({ text, link }: Props) {
  return text.split('`').map((part, i) => {
    const key = `${i} ${part}`;
    if (i % 2 === 0) return <Fragment key={key}>{part}</Fragment>;
    return <Fragment key={key}>{link?.(part) ?? <code>{part}</code>}</Fragment>;
  });
}
