import type { NamedByServer } from '../../runtime/port.ts';

/** The part of a workload that its name depends on. */
interface NamedWorkload {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly createdAt: string | null;
}

/**
 * The names of workloads as services of a target: `web@prod` in its default namespace, `web.shop@prod` elsewhere. The
 * first that is seen with a name keeps it for ever, another one gets its kind at the end. The server remembers that for
 * ever; this remembers it for as long as the agent runs, and learns from the server what it cannot know.
 */
export class ServiceNames {
  readonly #target: string;
  #defaultNamespace: string;
  /** By workload, as it is written in `keyOf`. */
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(target: string, defaultNamespace: string) {
    this.#target = target;
    this.#defaultNamespace = defaultNamespace;
  }

  get defaultNamespace(): string {
    return this.#defaultNamespace;
  }

  /** The target has had another default namespace before: names stay as they are. */
  settle(defaultNamespace: string): void {
    this.#defaultNamespace = defaultNamespace;
  }

  /** The server knows these workloads under other names than their own. */
  learn(names: readonly NamedByServer[]): void {
    for (const { service, workload } of names) {
      this.#names.set(keyOf(workload), service);
      this.#taken.add(service);
    }
  }

  /** The server says that the name belongs to another workload, which may be long gone. */
  refuse(service: string): void {
    this.#taken.add(service);
    for (const [key, name] of this.#names) if (name === service) this.#names.delete(key);
  }

  has(workload: Pick<NamedWorkload, 'kind' | 'namespace' | 'name'>): boolean {
    return this.#names.has(keyOf(workload));
  }

  /** Gives every workload its name; of several that are new, the oldest chooses first. */
  name<W extends NamedWorkload>(workloads: readonly W[]): ReadonlyMap<string, W> {
    const isNew = (workload: W) => !this.#names.has(keyOf(workload));
    const oldestFirst = workloads
      .filter(isNew)
      .toSorted((a, b) => order(a.createdAt, b.createdAt) || order(keyOf(a), keyOf(b)));
    for (const workload of oldestFirst) this.#choose(workload);
    return new Map(workloads.map((workload) => [this.#names.get(keyOf(workload)) ?? '', workload]));
  }

  #choose(workload: NamedWorkload): void {
    const { kind, namespace, name } = workload;
    const place = namespace === this.#defaultNamespace ? '' : `.${namespace}`;
    const plain = `${name}${place}@${this.#target}`;
    const service = this.#taken.has(plain) ? `${name}-${kind.toLowerCase()}${place}@${this.#target}` : plain;
    this.#names.set(keyOf(workload), service);
    this.#taken.add(service);
  }
}

const keyOf = ({ kind, namespace, name }: Pick<NamedWorkload, 'kind' | 'namespace' | 'name'>) =>
  `${namespace}/${kind}/${name}`;

const order = (a: string | null, b: string | null) => ((a ?? '') < (b ?? '') ? -1 : a === b ? 0 : 1);
