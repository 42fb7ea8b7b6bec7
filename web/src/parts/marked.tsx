import { Fragment, type ReactNode } from 'react';

interface Props {
  readonly text: string;
  /** Where a name leads, if anywhere. */
  readonly link?: (name: string) => ReactNode | null;
}

/** Text of the model, in which names stand between backticks. */
export function Marked({ text, link }: Props) {
  return text.split('`').map((part, i) => {
    const key = `${i} ${part}`;
    if (i % 2 === 0) return <Fragment key={key}>{part}</Fragment>;
    return <Fragment key={key}>{link?.(part) ?? <code>{part}</code>}</Fragment>;
  });
}
