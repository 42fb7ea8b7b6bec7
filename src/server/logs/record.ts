/** One line as it stands in a file: without what its path says. */
export interface LogRecord {
  readonly at: string;
  /** Who numbered it: an instance or a build, under its epoch or fence. */
  readonly source: string;
  readonly seq: string;
  readonly instance: string | null;
  readonly line: string;
}

/** Null for what is no record: a crash or a full disk may have cut one in two. */
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
    (record.instance === null || typeof record.instance === 'string')
  );
}
