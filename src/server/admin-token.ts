import { existsSync, readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVERS_OWN } from '../access/authorize.ts';
import type { Store } from '../store/port.ts';
import { makeToken, type TokenBook } from './auth/tokens.ts';

export const FIRST_ORG = 'default';

/**
 * Reads the first administrator's token from a file that only the owner can read. Creates a new one if the
 * store has no such token.
 */
export async function ensureAdminToken(dir: string, store: Store, tokens: TokenBook): Promise<string> {
  const path = join(dir, 'admin-token');
  const stored = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  if (stored !== '' && (await tokens.find(stored)) !== null) return stored;
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

/** Writes the file completely or not at all; nobody else can read it at any moment. */
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
