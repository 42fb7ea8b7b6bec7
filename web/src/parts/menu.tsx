import { Suspense, useEffect } from 'react';
import { useLocation } from 'wouter';
import type { Session } from '../session.ts';
import { Icon } from './icon.tsx';
import { afterThePage, pageIsDrawn } from './lazily.ts';

const MenuContent = afterThePage(() => import('./menu-content.tsx').then((m) => m.MenuContent));

/** The menu: the person who is signed in, the theme, the way out; on a phone the pages too. */
export function Menu({ session }: { readonly session: Session }) {
  const [place] = useLocation();
  const name = session.name || session.role;
  const isOfList = place === '/';
  useEffect(() => {
    if (!isOfList) pageIsDrawn();
  }, [isOfList]);
  return (
    <>
      <button type="button" className="menu-button" popoverTarget="menu">
        <span className="initials" aria-hidden="true">
          {initialsOf(name)}
        </span>
        <Icon name="menu" />
        <span className="visually-hidden">Menu of {name}</span>
      </button>
      {/* Drawn anew at each address, and so closed by the link that leads there. */}
      <div key={place} id="menu" popover="auto" className="menu">
        <Suspense>
          <MenuContent session={session} />
        </Suspense>
      </div>
    </>
  );
}

function initialsOf(name: string): string {
  const [first = '', second = ''] = name.split(/[^\p{L}\p{N}]+/u);
  return (first.slice(0, 1) + (second.slice(0, 1) || first.slice(1, 2))).toUpperCase();
}
