import { createHash } from 'node:crypto';

/** Fields that change with every read and carry no news: instants and numbers. */
const PASSING = ['now', 'ageMs'];
/** The same in a text of JSON, where no value looks like a field: a quote in one is escaped. */
const PASSING_IN_TEXT = new RegExp(`"(?:${PASSING.join('|')})":(?:"[^"\\\\]*"|[-+.\\w]+)`, 'g');

/** Leaves out passing fields and, in an attempt in progress, the time that its stages have taken so far. */
function lasting(this: unknown, key: string, value: unknown): unknown {
  if (PASSING.includes(key)) return undefined;
  const isUnderWay = key === 'stages' && (this as { endedAt?: unknown }).endedAt === null;
  return isUnderWay && Array.isArray(value) ? value.map(({ stage }) => stage) : value;
}

/**
 * Computes the tag of an answer from its content at this moment without its time, so that a dead agent is
 * never answered with 304.
 */
export function etagOf(body: object, text = JSON.stringify(body)): string {
  // Fields are dropped from the text where that is enough: a function that is called for each took as long as a page of
  // services.
  const isNested = text.includes('"stages":');
  return etagOfText(isNested ? JSON.stringify(body, lasting) : text.replace(PASSING_IN_TEXT, ''));
}

export const etagOfText = (text: string) =>
  `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;

/** The caller has this version already. */
export function matchesEtag(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
