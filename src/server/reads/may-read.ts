import { mayFetchBytes } from '../../access/artifact-bytes.ts';
import type { Caller } from '../../access/caller.ts';
import type { Host } from '../../evidence/door/host.ts';
import { intact, pick, readable } from '../../store/broken-row.ts';
import { oneOf } from '../../store/port.ts';
import type { TokenRow } from '../../store/schema.ts';

/**
 * Reads which services bytes belong to, until one lets the caller fetch them (F111): the bytes were built for it or
 * observed to run, or an open command builds or applies them.
 */
export async function mayRead(
  host: Host,
  caller: Caller,
  digest: string,
  isSender: boolean,
): Promise<boolean> {
  const { org } = caller;
  const isAllowed = (services: readonly (string | undefined)[]) =>
    mayFetchBytes(caller, { isSender, services: services.filter((service) => service !== undefined) });
  if (isAllowed([])) return true;
  return host.store.read(async (tx) => {
    const attempts = await tx.select('attempts', { org, artifact: digest });
    if (isAllowed(attempts.map((row) => readable(row).service))) return true;
    const commands = await tx.select('commands', { org, state: oneOf('offered', 'leased') });
    for (const command of commands) {
      const about = pick(command, 'service', 'revision');
      if (about === undefined || !isAllowed([about.service])) continue;
      const row = intact(await tx.get('revisions', { org, ...about }));
      if (row !== undefined && 'digest' in row.origin && row.origin.digest === digest) return true;
    }
    return false;
  });
}

const MAX_UPLOADS = 10_000;

/** Caches which token has sent which bytes lately: it may read them before any row refers to them. */
export class Uploads {
  readonly #sent = new Set<string>();

  add(by: Pick<TokenRow, 'org' | 'id'>, digest: string): void {
    this.#sent.add(name(by, digest));
    if (this.#sent.size > MAX_UPLOADS) this.#sent.delete(this.#sent.values().next().value ?? '');
  }

  has(by: Pick<TokenRow, 'org' | 'id'>, digest: string): boolean {
    return this.#sent.has(name(by, digest));
  }
}

const name = ({ org, id }: Pick<TokenRow, 'org' | 'id'>, digest: string) => `${org} ${id} ${digest}`;
