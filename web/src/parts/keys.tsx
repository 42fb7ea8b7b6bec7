import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

const PLACES: Readonly<Record<string, string>> = {
  s: '/',
  t: '/targets',
  m: '/model',
  e: '/settings',
};
const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['/', 'search'],
  ['j  k', 'next and previous row'],
  ['Enter', 'open the row'],
  ['g s', 'services'],
  ['g t', 'targets'],
  ['g m', 'the model'],
  ['g e', 'settings'],
  ['← →', 'step through time, where there is a time line'],
  ['+ − 0', 'nearer, farther, all of it, on the timeline'],
  ['?', 'this list'],
];

/** Keys that work on every page, except inside a field. */
export function Keys() {
  const dialog = useRef<HTMLDialogElement>(null);
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
      } else if (key === '?') dialog.current?.showModal();
      else if (key === '/') {
        event.preventDefault();
        document.querySelector<HTMLInputElement>('input[type=search]')?.focus();
      }
    };
    document.addEventListener('keydown', press, { capture: true });
    return () => document.removeEventListener('keydown', press, { capture: true });
  }, [go]);
  return (
    <dialog ref={dialog} aria-labelledby="keys-title" className="keys">
      <h2 id="keys-title">Keys</h2>
      <dl>
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

export const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
