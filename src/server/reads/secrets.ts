import type { Spec } from '../../contract/intent.ts';
import type { Host } from '../../evidence/door/host.ts';
import { KnownValues } from '../../redact/known-values.ts';
import { readable } from '../../store/broken-row.ts';

const KNOWN_MS = 5_000;

/** The secret values of a service's revisions that may still write lines, looked up once in a while. */
export class Secrets {
  readonly #host: Host;
  readonly #known = new Map<string, { readonly values: KnownValues; readonly at: number }>();

  constructor(host: Host) {
    this.#host = host;
  }

  async of(org: string, service: string): Promise<KnownValues> {
    const name = `${org} ${service}`;
    const known = this.#known.get(name);
    if (known !== undefined && performance.now() - known.at < KNOWN_MS) return known.values;
    const revisions = await this.#host.store.read((tx) =>
      tx.select('revisions', { org, service }, { order: 'revision', descending: true, limit: 10 }),
    );
    const values = new KnownValues(revisions.flatMap((row) => secretsIn(readable(row).spec ?? {})));
    if (this.#known.size > 10_000) this.#known.clear();
    this.#known.set(name, { values, at: performance.now() });
    return values;
  }
}

export function secretsIn({ env }: Spec): readonly string[] {
  return Object.values(env ?? {}).flatMap((value) => (typeof value === 'string' ? [] : [value.secret]));
}
