import { useEffect } from 'react';
import { isField } from '../../parts/is-field.ts';

/** The keys of a row of the list, on the page of its service: e its evidence, t its past. */
export function useServiceKeys(onEvidence: () => void, onPast: () => void): void {
  useEffect(() => {
    const press = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      // A question is answered first.
      if (document.querySelector('dialog[open]') !== null) return;
      if (isField(target) || ctrlKey || metaKey || altKey) return;
      if (key === 'e') onEvidence();
      else if (key === 't') onPast();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}
