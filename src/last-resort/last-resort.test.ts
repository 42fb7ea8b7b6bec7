import type { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isOfOneExchange, survivedErrors, surviveExchanges } from './last-resort.ts';

const coded = (code: string, syscall?: string) =>
  Object.assign(new Error(code), { code, ...(syscall && { syscall }) });

describe('an uncaught error (F120)', () => {
  it('is survived if it is about one connection, one file or one message', () => {
    const bytes = [
      'HPE_INVALID_CONSTANT',
      'ERR_HTTP_INVALID_STATUS_CODE',
      'ERR_INVALID_CHAR',
      'Z_DATA_ERROR',
    ];
    for (const code of [...bytes, 'ERR_STREAM_WRITE_AFTER_END'])
      expect(isOfOneExchange(coded(code))).toBe(true);
    for (const error of [coded('ECONNRESET', 'read'), coded('EMFILE', 'accept'), coded('EPIPE', 'write')])
      expect(isOfOneExchange(error)).toBe(true);
  });

  it('ends the process if it is a defect of unknown reach, or if a part would never answer', () => {
    for (const error of [new TypeError('x is undefined'), 'a string', null, coded('EADDRINUSE', 'listen')])
      expect(isOfOneExchange(error)).toBe(false);
    expect(isOfOneExchange(coded('ERR_ASSERTION'))).toBe(false);
  });

  it('is logged, but never so often that it fills the log, and counted always', () => {
    const logged: Error[] = [];
    const ended: unknown[] = [];
    const before = survivedErrors();
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    const throws = (error: Error) => (process as EventEmitter).emit('uncaughtException', error);
    const stop = surviveExchanges(
      (error) => logged.push(error),
      (error) => ended.push(error),
    );
    for (let n = 0; n < 100; n += 1) throws(coded('HPE_X'));
    throws(new TypeError('ours'));
    stop();
    for (const other of others) process.on('uncaughtException', other);
    expect([survivedErrors() - before, logged.length, ended.length]).toEqual([100, 20, 1]);
  });
});
