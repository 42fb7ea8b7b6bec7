import { useLocation } from 'wouter';
import { Icon } from '../icon.tsx';

/** The field in the top bar that leads to a service. */
export function PaletteField() {
  const [place, go] = useLocation();
  return (
    <button
      type="button"
      className="palette-field"
      aria-label="Search"
      onClick={() => {
        if (place !== '/') go('/');
        requestAnimationFrame(() => document.querySelector<HTMLInputElement>('input[type=search]')?.focus());
      }}
    >
      <Icon name="search" />
      <span>Search</span>
      <kbd aria-hidden="true">/</kbd>
    </button>
  );
}
