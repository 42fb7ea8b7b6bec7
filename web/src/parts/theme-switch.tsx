import { useState } from 'react';
import { applyTheme, chosenTheme, THEMES, type Theme } from '../theme.ts';

export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(chosenTheme);
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">Theme</legend>
      {THEMES.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === theme}
          onClick={() => {
            applyTheme(name);
            setTheme(name);
          }}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}
