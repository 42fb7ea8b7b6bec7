import { type ReactNode, Suspense } from 'react';
import { Link } from 'wouter';
import type { Session } from '../session.ts';
import { afterThePage } from './lazily.ts';
import { Liveness } from './liveness.tsx';
import { Menu } from './menu.tsx';
import { Navigation } from './navigation.tsx';
import { NotLive } from './not-live.tsx';
import { PaletteField } from './palette/palette-field.tsx';
import { CITY } from './zone.ts';

const Keys = afterThePage(() => import('./keys.tsx').then((m) => m.Keys));
const ReadAnew = afterThePage(() => import('./read-anew.tsx').then((m) => m.ReadAnew));

/** The frame of every page: navigation, and whether the page is live. */
export function Shell({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="top">
        <Link href="/" className="brand">
          <i aria-hidden="true" />
          Evident
        </Link>
        <Navigation session={session} label="Pages" />
        <NotLive />
        <PaletteField session={session} />
        <Liveness />
        <span className="city" title="Times are in this time zone">
          {CITY}
        </span>
        <Menu session={session} />
      </header>
      <main id="main" tabIndex={-1}>
        <Suspense>
          <ReadAnew />
        </Suspense>
        {children}
      </main>
      <Suspense>
        <Keys />
      </Suspense>
    </>
  );
}
