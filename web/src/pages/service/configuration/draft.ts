import type { ServiceView } from '../../../../../src/contract/answers/views.ts';
import { isSecret } from '../../../../../src/contract/presentation/changes.ts';

/** A variable as it is edited. */
export interface DraftVariable {
  /** Tells rows apart while their names are edited. */
  readonly key: number;
  readonly name: string;
  /** Empty for a secret that is kept: the server never says what it is. */
  readonly value: string;
  readonly isSecret: boolean;
  /** The name under which it is set now; null: it is new. */
  readonly was: string | null;
}

/** A configuration as it is edited. */
export interface ConfigurationDraft {
  readonly replicas: string;
  readonly variables: readonly DraftVariable[];
}

type SpecView = ServiceView['spec'];

/** `missing` are variables that somebody came to set: their values are nobody's business until it is said otherwise. */
export function draftOf(
  { replicas, env = {} }: SpecView,
  missing: readonly string[] = [],
): ConfigurationDraft {
  const variables = Object.entries(env)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value], key) => ({
      ...{ key, name, was: name, isSecret: isSecret(value) },
      value: typeof value === 'string' ? value : '',
    }));
  const added = missing
    .filter((name) => env[name] === undefined)
    .map((name, i) => ({
      key: variables.length + i,
      ...{ name, value: '', isSecret: true, was: null },
    }));
  return { replicas: String(replicas ?? 1), variables: [...variables, ...added] };
}

/** The part of a request that makes a configuration what the draft says. */
interface DraftChange {
  readonly spec: {
    readonly replicas?: number;
    readonly env?: Readonly<Record<string, string | { readonly secret: string }>>;
  };
  readonly unset?: readonly string[];
}

/** Names what differs and nothing else, so that what somebody else changed meanwhile stays. Null: nothing differs. Pure. */
export function changeOf(spec: SpecView, { replicas, variables }: ConfigurationDraft): DraftChange | null {
  const { env = {} } = spec;
  const set: Record<string, string | { secret: string }> = {};
  for (const { name, value, isSecret: isToBeSecret, was } of variables) {
    if (name === '') continue;
    const before = was === name ? env[name] : undefined;
    // A secret that nobody typed anew is kept, and an empty one is none.
    if ((isSecret(before) || was === null) && isToBeSecret && value === '') continue;
    if (before === value && !isToBeSecret) continue;
    set[name] = isToBeSecret ? { secret: value } : value;
  }
  const names = new Set(variables.map(({ name }) => name));
  const unset = Object.keys(env).filter((name) => !names.has(name));
  const isScaled = replicas !== '' && Number(replicas) !== (spec.replicas ?? 1);
  if (!isScaled && unset.length === 0 && Object.keys(set).length === 0) return null;
  return {
    spec: {
      ...(isScaled && { replicas: Number(replicas) }),
      ...(Object.keys(set).length > 0 && { env: set }),
    },
    ...(unset.length > 0 && { unset: unset.map((name) => `env.${name}`) }),
  };
}
