import { Suspense, useEffect, useState } from 'react';
import type { Session } from '../../session.ts';
import { Icon } from '../icon.tsx';
import { lazily } from '../lazily.ts';

const Palette = lazily(() => import('./palette.tsx').then((m) => m.Palette));

export const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

/** The field in the top bar, and Ctrl or Cmd with K on every page, open the palette. */
export function PaletteField({ session }: { readonly session: Session }) {
  const [isOpen, open] = useState(false);
  const [typed, type] = useState('');
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
  const close = () => {
    open(false);
    type('');
  };
  return (
    <>
      <button type="button" className="palette-field" aria-haspopup="dialog" onClick={() => open(true)}>
        <Icon name="search" />
        <span>Search or run a command</span> <kbd aria-hidden="true">{SHORTCUT}</kbd>
      </button>
      {isOpen && (
        <Suspense
          fallback={
            // Letters that are typed while the palette loads are the first that it finds by.
            <input
              className="palette-field waiting"
              aria-label="Search or run a command"
              // biome-ignore lint/a11y/noAutofocus: it is opened to be typed into
              autoFocus
              value={typed}
              onChange={({ target }) => type(target.value)}
              onKeyDown={({ key }) => key === 'Escape' && close()}
            />
          }
        >
          <Palette session={session} typed={typed} onType={type} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
