import type { Spec } from '../../contract/intent.ts';

/** Secret values are write-only: the view only says that there is one. */
export function specView(spec: Spec): object {
  const env = Object.entries(spec.env ?? {}).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : { secret: true },
  ]);
  return { ...spec, env: Object.fromEntries(env) };
}
