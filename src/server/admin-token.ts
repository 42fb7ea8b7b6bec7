import { existsSync, readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVERS_OWN } from '../access/authorize.ts';
import type { Store } from '../store/port.ts';
import { makeToken, type TokenBook } from './auth/tokens.ts';

export const FIRST_ORG = 'default';

/** The first administrator's token, in a file that only the owner can read; made anew if the store does not know it. */
export async function ensureAdminToken(dir: string, store: Store, tokens: TokenBook): Promise<string> {
  const path = join(dir, 'admin-token');
  const kept = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  if (kept !== '' && (await tokens.find(kept)) !== null) return kept;
  const { token } = await makeToken(store, {
    org: FIRST_ORG,
    role: 'admin',
    name: SERVERS_OWN,
    target: '*',
    service: '*',
    expiresInMs: null,
  });
  await writePrivately(path, `${token}\n`);
  return token;
}

/** Whole or not at all, and never readable by anyone else on the way. */
export async function writePrivately(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}
