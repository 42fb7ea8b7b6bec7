import type { Spec } from '../../contract/intent.ts';
import type { Host } from '../../evidence/door/host.ts';
import { SecretValues } from '../../redact/secret-values.ts';
import { readable } from '../../store/broken-row.ts';

const CACHED_MS = 5_000;

/** Caches the secret values of a service's newest revisions, which may still write lines. */
export class Secrets {
  readonly #host: Host;
  readonly #cache = new Map<string, { readonly values: SecretValues; readonly at: number }>();

  constructor(host: Host) {
    this.#host = host;
  }

  async of(org: string, service: string): Promise<SecretValues> {
    const name = `${org} ${service}`;
    const cached = this.#cache.get(name);
    if (cached !== undefined && performance.now() - cached.at < CACHED_MS) return cached.values;
    const revisions = await this.#host.store.read((tx) =>
      tx.select('revisions', { org, service }, { order: 'revision', descending: true, limit: 10 }),
    );
    const values = new SecretValues(revisions.flatMap((row) => secretsIn(readable(row).spec ?? {})));
    if (this.#cache.size > 10_000) this.#cache.clear();
    this.#cache.set(name, { values, at: performance.now() });
    return values;
  }
}

export function secretsIn({ env }: Spec): readonly string[] {
  return Object.values(env ?? {}).flatMap((value) => (typeof value === 'string' ? [] : [value.secret]));
}
