import { useState } from 'react';
import { Link, useSearch } from 'wouter';
import type { Session } from '../../session.ts';
import { SaveView } from './save-view.tsx';
import { keepViews, readViews, type SavedView, withView } from './saved-views.ts';

/** Views that are one press away: all, mine, and those that somebody named. */
export function ViewsBar({ session }: { readonly session: Session }) {
  const query = useSearch();
  const [views, setViews] = useState(readViews);
  const change = (next: readonly SavedView[]) => {
    keepViews(next);
    setViews(next);
  };
  const mine = session.name === '' ? [] : [{ name: 'Mine', query: `by=${encodeURIComponent(session.name)}` }];
  const isHere = (view: SavedView) => isSameQuery(view.query, query);
  const all = [{ name: 'All', query: '' }, ...mine, ...views];
  const saved = views.find(isHere);
  return (
    <nav className="views" aria-label="Views">
      {all.map((view) => (
        <Link
          key={view.name}
          href={view.query === '' ? '/' : `/?${view.query}`}
          aria-current={isHere(view) ? 'page' : undefined}
        >
          {view.name}
        </Link>
      ))}
      {saved !== undefined ? (
        <button type="button" className="plain" onClick={() => change(views.filter((one) => one !== saved))}>
          Forget this view
        </button>
      ) : all.some(isHere) ? null : (
        <SaveView onSave={(name) => change(withView(views, { name, query }))} />
      )}
    </nav>
  );
}

const isSameQuery = (one: string, other: string) => normalized(one) === normalized(other);
/** The order of parameters does not matter, nor does the form of the list. */
function normalized(query: string): string {
  const params = new URLSearchParams(query);
  params.delete('as');
  params.sort();
  return params.toString();
}
