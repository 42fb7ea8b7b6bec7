import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { Client } from '../client/client.ts';
import { NothingHere } from './plainly.ts';

export interface ConnectionOptions {
  readonly server?: string;
  readonly token?: string;
}

export function withConnection(command: Command): Command {
  return command
    .option('--server <url>', 'the server (EVIDENT_SERVER, else as the data directory says)')
    .option('--token <token>', 'the token (EVIDENT_TOKEN, else as the data directory says)');
}

/** Server and token are found independently of each other: by option, by variable, else in a data directory. */
export function connect({ server, token }: ConnectionOptions): Client {
  return new Client(
    server ??
      process.env.EVIDENT_SERVER ??
      inData('server.json', (text) => (JSON.parse(text) as { api: string }).api),
    token ?? process.env.EVIDENT_TOKEN ?? inData('admin-token', (text) => text.trim()),
  );
}

function inData(file: string, read: (text: string) => string): string {
  const dirs = process.env.EVIDENT_DATA
    ? [resolve(process.env.EVIDENT_DATA)]
    : [...upwards(process.cwd()).map((dir) => join(dir, '.evident')), join(homedir(), '.evident')];
  const path = dirs.map((dir) => join(dir, file)).find((at) => existsSync(at));
  if (path === undefined)
    throw new NothingHere(
      `There is no ${file} in ${dirs.join(', ')}. Start a server there, or name one with --server and --token.`,
    );
  return read(readFileSync(path, 'utf8'));
}

function upwards(from: string): string[] {
  const parent = dirname(from);
  return parent === from ? [from] : [from, ...upwards(parent)];
}
