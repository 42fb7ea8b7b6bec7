import { createHash } from 'node:crypto';

/** Fields that differ at every reading and say nothing new. */
const PASSING = new Set(['now', 'ageMs']);

/** Leaves out passing fields, and of an attempt in progress how long its stages have taken so far. */
function lasting(this: unknown, key: string, value: unknown): unknown {
  if (PASSING.has(key)) return undefined;
  const isUnderWay = key === 'stages' && (this as { endedAt?: unknown }).endedAt === null;
  return isUnderWay && Array.isArray(value) ? value.map(({ stage }) => stage) : value;
}

/** The tag of an answer as computed at this moment, less the time of it: a dead agent is never a 304. */
export function etagOf(body: object): string {
  return etagOfText(JSON.stringify(body, lasting));
}

export const etagOfText = (text: string) =>
  `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;

/** The caller has this version already. */
export function isKnown(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
