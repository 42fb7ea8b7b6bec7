import type { ReactNode } from 'react';

interface Props {
  readonly at: string | number;
  /** The moment in the reader's time zone, or its age. */
  readonly children: ReactNode;
}

/** A moment: the reader sees their own time zone, and UTC on hover. */
export function Moment({ at, children }: Props) {
  const instant = new Date(at).toISOString();
  return (
    <time dateTime={instant} title={instant.replace('T', ' ').replace('Z', ' UTC')}>
      {children}
    </time>
  );
}
