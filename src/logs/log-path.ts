import { createHash } from 'node:crypto';

/**
 * Encodes a name as one part of a path. Different names give different parts, also on file systems that
 * ignore case: everything but small letters, digits and `@_-` is written as its bytes (F100). Long names end
 * in their hash.
 */
export function pathPart(name: string): string {
  let part = '';
  for (const byte of Buffer.from(name)) {
    const char = String.fromCharCode(byte);
    part += /[a-z0-9@_-]/.test(char) ? char : `%${byte.toString(16).padStart(2, '0')}`;
  }
  if (part === '') return '~';
  if (part.length <= 180) return part;
  return `${part.slice(0, 100)}~${createHash('sha256').update(name).digest('hex')}`;
}

export interface AttemptNumber {
  readonly revision: number;
  readonly attempt: number;
}

export const attemptPart = ({ revision, attempt }: AttemptNumber) => `r${revision}-a${attempt}`;

export function readAttemptPart(name: string): AttemptNumber | null {
  const match = /^r(\d{1,15})-a(\d{1,15})$/.exec(name);
  return match && { revision: Number(match[1]), attempt: Number(match[2]) };
}

export function compareAttempts(a: AttemptNumber, b: AttemptNumber): number {
  return a.revision - b.revision || a.attempt - b.attempt;
}

/** The first segment of a stream has its plain name, later ones their number in it. */
export const segmentName = (stream: string, number: number) =>
  number === 0 ? `${stream}.ndjson` : `${stream}.${number}.ndjson`;

export function readSegmentName(stream: string, name: string): number | null {
  const match = /^([a-z]+)(?:\.([1-9]\d{0,14}))?\.ndjson$/.exec(name);
  return match === null || match[1] !== stream ? null : Number(match[2] ?? 0);
}
