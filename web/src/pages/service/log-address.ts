import type { LogLineView } from '../../../../src/contract/answers/views.ts';
import { tabAddress } from './tabs.ts';

/** A line of a log that an address names. */
interface NamedLine {
  readonly name: string;
  readonly stream: LogLineView['stream'];
  readonly revision: number;
  readonly attempt: number;
  /** When it was written, in milliseconds. */
  readonly at: number;
}

type LinePlace = Pick<LogLineView, 'stream' | 'revision' | 'attempt' | 'instance' | 'seq' | 'at'>;

/**
 * Names one line among all of its service. The instance comes last, since its name may have dots; the instant is a part, since
 * the lines of two builds of one attempt have the same numbers.
 */
export const lineName = ({ stream, revision, attempt, instance, seq, at }: LinePlace): string =>
  [stream, revision, attempt, seq, Date.parse(at), instance ?? ''].join('.');

/** Reads the name of a line; null for one that is none. */
export function namedLine(name: string | null): NamedLine | null {
  const [, stream, revision, attempt, at] =
    /^(build|run)\.(\d{1,9})\.(\d{1,9})\.\d{1,18}\.(\d{1,15})\./.exec(name ?? '') ?? [];
  if (name === null || (stream !== 'build' && stream !== 'run')) return null;
  return { name, stream, revision: Number(revision), attempt: Number(attempt), at: Number(at) };
}

/** The address of a line in the log of its service; the instant that is shown stays. */
export const lineAddress = (service: string, line: LinePlace, at: string | null): string =>
  `${tabAddress(service, 'logs', at)}${at === null ? '?' : '&'}line=${encodeURIComponent(lineName(line))}`;

/** So many lines with the named one among them: the newest if that is one of them, or is in none of them. */
export function linesAround<T extends LinePlace>(
  lines: readonly T[],
  name: string | null,
  count: number,
): readonly T[] {
  const at = name === null ? -1 : lines.findIndex((line) => lineName(line) === name);
  const from = Math.max(0, lines.length - count);
  if (at < 0 || at >= from) return lines.slice(from);
  const begin = Math.max(0, at - Math.floor(count / 2));
  return lines.slice(begin, begin + count);
}
