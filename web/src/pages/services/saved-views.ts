/** An address of the list with a name, kept in this browser. */
export interface SavedView {
  readonly name: string;
  /** The query of the address, without the question mark. */
  readonly query: string;
}

const KEY = 'evident.views';

/** Anything that is not a list of views counts as none: storage may hold what another version wrote. */
export function savedViews(stored: string | null): readonly SavedView[] {
  try {
    const found: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(found) ? found.filter(isSavedView) : [];
  } catch {
    return [];
  }
}

function isSavedView(value: unknown): value is SavedView {
  const { name, query } = (value ?? {}) as Partial<SavedView>;
  return typeof name === 'string' && name !== '' && typeof query === 'string';
}

/** The views with this one: a name stands once. */
export const withView = (views: readonly SavedView[], view: SavedView): readonly SavedView[] => [
  ...views.filter(({ name }) => name !== view.name),
  view,
];

export const readViews = (): readonly SavedView[] => savedViews(localStorage.getItem(KEY));
export const keepViews = (views: readonly SavedView[]): void =>
  localStorage.setItem(KEY, JSON.stringify(views));
