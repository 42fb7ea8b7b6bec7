import { Refusal } from '../contract/refusal.ts';

/**
 * Storage errors, grouped by what the caller should do. The sender mends `TooLarge` and `DigestMismatch`.
 * `StorageUnavailable` is the server's own: nothing was kept, and the same call may be repeated later (F48).
 */
export class DigestMismatch extends Refusal {
  override readonly name = 'DigestMismatch';
  override readonly code = 'digest_mismatch';
  readonly expected: string;
  readonly actual: string;
  constructor(expected: string, actual: string) {
    super(`the bytes are ${actual}, not ${expected}`);
    this.expected = expected;
    this.actual = actual;
  }
}

export class TooLarge extends Refusal {
  override readonly name = 'TooLarge';
  override readonly code = 'too_large';
  override readonly extra: { readonly limit: number };
  constructor(limitBytes: number) {
    super(`more than the limit of ${limitBytes} bytes`);
    this.extra = { limit: limitBytes };
  }
}

export class StorageUnavailable extends Error {
  override readonly name: string = 'StorageUnavailable';
}

/** The disk is full, the quota is spent, or less free space is left than the floor. */
export class NoSpace extends StorageUnavailable {
  override readonly name = 'NoSpace';
}

/** The file system is read-only, or the disk behind it fails. */
class NotWritable extends StorageUnavailable {
  override readonly name = 'NotWritable';
}

/**
 * Turns a failed write into the storage error that says what to do about it. Other errors are returned
 * unchanged.
 */
export function asStorageError(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new NoSpace('no space left on the disk', { cause: error });
  if (code === 'EROFS' || code === 'EIO') {
    return new NotWritable(`the disk cannot be written (${code})`, { cause: error });
  }
  return error;
}
