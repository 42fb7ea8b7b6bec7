import type { ReactNode } from 'react';

/** A line that stands where something will be, or would be. */
export function Quiet({ children }: { readonly children: ReactNode }) {
  return (
    <p className="quiet-page" role="status">
      {children}
    </p>
  );
}
