import { Suspense, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { isField } from './is-field.ts';
import { lazily } from './lazily.ts';

const PLACES: Readonly<Record<string, string>> = {
  s: '/',
  t: '/targets',
  m: '/model',
  e: '/settings',
};
const KeysDialog = lazily(() => import('./keys-dialog.tsx').then((m) => m.KeysDialog));

/** Keys that work on every page, except inside a field. */
export function Keys() {
  const [isAsked, setAsked] = useState(false);
  const [, go] = useLocation();
  useEffect(() => {
    let before = '';
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (ctrlKey || metaKey || altKey || isField(target)) return;
      const place = before === 'g' ? PLACES[key] : undefined;
      before = key;
      if (place !== undefined) {
        // The page under it has keys of one letter, which this one is not.
        event.stopPropagation();
        go(place);
      } else if (key === '?') setAsked(true);
      else if (key === '/') {
        event.preventDefault();
        document.querySelector<HTMLInputElement>('input[type=search]')?.focus();
      }
    };
    document.addEventListener('keydown', press, { capture: true });
    return () => document.removeEventListener('keydown', press, { capture: true });
  }, [go]);
  return (
    isAsked && (
      <Suspense>
        <KeysDialog onClose={() => setAsked(false)} />
      </Suspense>
    )
  );
}
