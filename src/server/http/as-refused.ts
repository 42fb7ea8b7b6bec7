import { StorageUnavailable } from '../../artifact/storage-errors.ts';
import { isProblemCode } from '../../contract/problem.ts';
import { Refusal } from '../../contract/refusal.ts';
import {
  Conflict,
  Locked,
  NoRoom,
  OutcomeUnknown,
  Overloaded,
  ReadOnly,
  Unavailable,
} from '../../store/port.ts';
import { noRoom, Refused } from './problems.ts';

/** Turns every failure into a refusal. The words of an unexpected one go to the log alone (S15). */
export function asRefused(error: unknown, limit: number): Refused {
  if (error instanceof Refused) return error;
  if (error instanceof OutcomeUnknown)
    return new Refused(
      'outcome_unknown',
      'The store did not confirm this; ask again with the same key.',
      {},
      1,
    );
  if (error instanceof NoRoom) return noRoom();
  if (error instanceof ReadOnly)
    return new Refused('unavailable', `${error.message} Nothing was done, and trying again is safe.`, {}, 5);
  if (error instanceof Locked)
    return new Refused(
      'unavailable',
      'Another program holds what this needs in the store; nothing was done, and trying again is safe.',
      {},
      1,
    );
  if (error instanceof Unavailable || error instanceof Conflict)
    return new Refused(
      'unavailable',
      'The store cannot be reached; nothing was done, and trying again is safe.',
      {},
      1,
    );
  if (error instanceof Overloaded)
    return new Refused('unavailable', 'The server is overloaded; nothing was done.', {}, 1);
  const { code, statusCode, message } = error as {
    code?: string;
    statusCode?: number;
    message?: string;
  };
  if (error instanceof StorageUnavailable || code === 'ENOSPC' || code === 'SQLITE_FULL' || code === '53100')
    return new Refused('no_space', 'The server’s disk is full; nothing was done.', {}, 5);
  if (code === 'ECONNRESET' && message === 'aborted')
    return new Refused('invalid_request', 'The connection ended before the body did; nothing was done.');
  if (error instanceof Refusal && isProblemCode(error.code))
    return new Refused(error.code, error.message, error.extra);
  if (
    /^FST_(FILES|FIELDS|PARTS)_LIMIT$/.test(code ?? '') ||
    /multipart|form|boundary/i.test(code === undefined ? (message ?? '') : '')
  )
    return new Refused('invalid_request', `The form is not valid: ${message}`);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || code === 'FST_REQ_FILE_TOO_LARGE' || statusCode === 413)
    return new Refused('too_large', `The body is larger than ${limit} bytes, the limit here.`, {
      limit,
    });
  if (
    statusCode === 415 ||
    code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' ||
    code === 'FST_INVALID_MULTIPART_CONTENT_TYPE'
  )
    return new Refused('unsupported_media_type', 'This media type is not supported here.');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new Refused('invalid_request', message ?? 'The request is not valid.');
  return new Refused('internal', 'Something is wrong on our side; the correlation id finds it in the log.');
}
