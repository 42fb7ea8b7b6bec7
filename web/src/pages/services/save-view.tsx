import { type FormEvent, useId, useRef } from 'react';
import { Icon } from '../../parts/icon.tsx';

/** Asks for the name under which this address is kept. */
export function SaveView({ onSave }: { readonly onSave: (name: string) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useId();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const name = String(new FormData(event.currentTarget).get('name') ?? '').trim();
    if (name !== '') onSave(name);
  };
  return (
    <>
      <button type="button" className="plain" onClick={() => dialog.current?.showModal()}>
        <Icon name="plus" />
        Save view
      </button>
      <dialog ref={dialog} aria-labelledby={`${field}-title`}>
        <form method="dialog" onSubmit={submit}>
          <h2 id={`${field}-title`}>Save this view</h2>
          <p>This browser keeps the address under a name. To share it, send the address.</p>
          <label htmlFor={field}>Name</label>
          <input id={field} name="name" required maxLength={40} />
          <p className="answers">
            <button type="submit" className="primary">
              Save
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              Leave it
            </button>
          </p>
        </form>
      </dialog>
    </>
  );
}
