import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { isField } from '../../parts/is-field.ts';

/** j and k walk through the services, Enter opens the one in focus, e its evidence, t its past. */
export function useRowKeys(refs: readonly string[], show: (index: number) => void, serverNow: number) {
  const [at, setAt] = useState(-1);
  const [, go] = useLocation();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (isField(target) || event.ctrlKey || event.metaKey || event.altKey) return;
      const step = key === 'j' ? 1 : key === 'k' ? -1 : 0;
      const ref = refs[at];
      if (step !== 0) {
        const next = Math.min(refs.length - 1, Math.max(0, at + step));
        setAt(next);
        show(next);
        // Focuses at once, or when the row is drawn, so that a screen reader says it and Enter opens it.
        if (!focusRow(next)) requestAnimationFrame(() => focusRow(next));
      } else if (ref === undefined) return;
      else if (key === 'Enter' && target === document.body) go(`/services/${ref}`);
      else if (key === 'e') go(`/services/${ref}/evidence`);
      else if (key === 't') go(`/services/${ref}?at=${new Date(serverNow).toISOString()}`);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
  useEffect(() => {
    const follow = ({ target }: FocusEvent) => {
      const row = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-index]') : null;
      if (row !== null) setAt(Number(row.dataset.index));
    };
    document.addEventListener('focusin', follow);
    return () => document.removeEventListener('focusin', follow);
  }, []);
  return at;
}

function focusRow(index: number): boolean {
  const link = document.querySelector<HTMLElement>(`[data-index="${index}"] a`);
  link?.focus({ preventScroll: true });
  return link !== null;
}
