import { countAt, type ObjectFields, textAt } from '../fields.ts';
import { type Ruling, ruling } from '../verdict.ts';
import type { CustomFamily } from './family.ts';

/** F70: Ready names no generation; `syncedResourceVersion` begins with the one that was synced. */
function judgeSecret(object: ObjectFields): Ruling | null {
  const synced = /^(\d{1,15})-/.exec(textAt(object, 'status.syncedResourceVersion') ?? '')?.[1];
  const generation = countAt(object, 'metadata.generation') ?? 0;
  return synced !== undefined && Number(synced) < generation
    ? ruling('progressing', 'generation_behind', `generation ${synced} of ${generation} is synced`)
    : null;
}

export const EXTERNAL_SECRETS: readonly CustomFamily[] = [
  { group: 'external-secrets.io', kinds: ['ExternalSecret', 'PushSecret'], judge: judgeSecret },
];
