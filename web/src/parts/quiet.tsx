import type { ReactNode } from 'react';

/** A quiet line in place of content that is missing or still loading. */
export function Quiet({ children }: { readonly children: ReactNode }) {
  return (
    <p className="quiet-page" role="status">
      {children}
    </p>
  );
}
