/** One line in a file, without the fields that its path has. */
export interface LogRecord {
  readonly at: string;
  /** The source that numbered it: an instance or a build, under its epoch or fence. */
  readonly source: string;
  readonly seq: string;
  readonly instance: string | null;
  /** The command that the line was written under; lines of older versions have none. */
  readonly command?: string | null;
  readonly line: string;
}

/** The source of a line: each source numbers its lines by itself. */
export const sourceName = (instance: string | null, epoch: string | null, fence: string | null) =>
  JSON.stringify([instance, epoch, fence]);

/** Reads the epoch or fence that a line was written under from its source. */
export function recordStampOf({ source }: LogRecord): {
  readonly epoch: string | null;
  readonly fence: string | null;
} {
  const [, epoch = null, fence = null] = JSON.parse(source) as (string | null)[];
  return { epoch, fence };
}

/** Reads a record; null for a damaged one, which a crash or a full disk has cut in two. */
export function readRecord(text: string): LogRecord | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is LogRecord {
  if (typeof value !== 'object' || value === null) return false;
  const record = value as Record<string, unknown>;
  const texts = [record.at, record.source, record.seq, record.line];
  return (
    texts.every((text) => typeof text === 'string') &&
    (record.instance === null || typeof record.instance === 'string') &&
    (record.command == null || typeof record.command === 'string')
  );
}
