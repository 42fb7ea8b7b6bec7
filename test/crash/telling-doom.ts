import { ServerResponse } from 'node:http';
import { die } from './die.ts';

/** Loaded before the program (`--import`): the first transition that it would tell of is its last. */
const { write } = ServerResponse.prototype;
ServerResponse.prototype.write = function (this: ServerResponse, ...args: Parameters<typeof write>) {
  if (/^(id: .*\n)?event: transition$/m.test(String(args[0]))) die();
  return write.apply(this, args);
} as typeof write;
