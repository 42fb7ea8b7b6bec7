import { Suspense, useEffect, useState } from 'react';
import type { Session } from '../../session.ts';
import { Icon } from '../icon.tsx';
import { lazily } from '../lazily.ts';

const Palette = lazily(() => import('./palette.tsx').then((m) => m.Palette));

export const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

/** The field in the top bar, and Ctrl or Cmd with K on every page, open the palette. */
export function PaletteField({ session }: { readonly session: Session }) {
  const [isOpen, open] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      // A question that is open is answered first.
      if (document.querySelector('dialog[open]:not(.palette)') !== null) return;
      event.preventDefault();
      open(true);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <button type="button" className="palette-field" aria-haspopup="dialog" onClick={() => open(true)}>
        <Icon name="search" />
        <span>Search or run a command</span> <kbd aria-hidden="true">{SHORTCUT}</kbd>
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <Palette session={session} onClose={() => open(false)} />
        </Suspense>
      )}
    </>
  );
}
