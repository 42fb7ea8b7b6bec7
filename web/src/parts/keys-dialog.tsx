import { useEffect, useRef } from 'react';
import { SHORTCUT } from './palette/palette-field.tsx';

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  [SHORTCUT, 'search or run a command'],
  ['/', 'filter the list'],
  ['j  k', 'next and previous row'],
  ['Enter', 'open the row'],
  ['e', 'evidence of the row, or of this service'],
  ['t', 'the past of the row, or of this service'],
  ['g s', 'services'],
  ['g t', 'targets'],
  ['g m', 'the model'],
  ['g e', 'settings'],
  ['← →', 'step through time, where there is a time line'],
  ['+ − 0', 'nearer, farther, all of it, on the timeline'],
  ['?', 'this list'],
];

/** All keys, in one list. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="keys-title" className="keys" onClose={onClose}>
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
