import { ServerResponse } from 'node:http';
import { die } from './die.ts';

/** Loaded before the program (`--import`). Kills the server before it sends its first transition to a stream. */
const { write } = ServerResponse.prototype;
ServerResponse.prototype.write = function (this: ServerResponse, ...args: Parameters<typeof write>) {
  if (/^(id: .*\n)?event: transition$/m.test(String(args[0]))) die();
  return write.apply(this, args);
} as typeof write;
