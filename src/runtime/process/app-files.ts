import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type FileView, viewOf } from './file-view.ts';
import type { Isolation } from './isolation.ts';

/** The home that the app itself sees. That of its instance holds its output, and only we may enter it. */
export function appHomeOf(isolation: Isolation, home: string, uid: string): string {
  switch (isolation.kind) {
    case 'users':
      return join(isolation.apps, 'homes', uid);
    case 'namespaces':
      return join(home, 'app');
    case 'none':
      return home;
  }
}

/** The files that an app sees, with these directories of its own; null if all of the machine. */
export function appViewOf(isolation: Isolation, home: string, own: readonly string[]): FileView | null {
  if (isolation.kind !== 'namespaces') return null;
  const tmp = join(home, 'tmp');
  mkdirSync(tmp, { recursive: true, mode: 0o700 });
  return viewOf(isolation.hidden, own, tmp);
}
