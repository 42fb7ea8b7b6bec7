import type { ObjectFields } from '../fields.ts';
import type { ObjectIdentity } from '../identity.ts';
import type { Ruling } from '../verdict.ts';
import { judgeByConditions } from './by-conditions.ts';
import { FAMILIES } from './families.ts';
import type { CustomFamily } from './family.ts';

const BY_KIND: ReadonlyMap<string, CustomFamily> = new Map(
  FAMILIES.flatMap((family) => family.kinds.map((kind) => [`${family.group}/${kind}`, family] as const)),
);

/** Judges an object of a kind that is not built in: by its operator's own way, else by the common conditions. */
export function judgeCustom(object: ObjectFields, { group, kind }: ObjectIdentity, now: number): Ruling {
  return BY_KIND.get(`${group}/${kind}`)?.judge(object, now) ?? judgeByConditions(object);
}
