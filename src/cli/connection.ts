import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { Client } from '../client/client.ts';
import { NoStoreFound, UsageError } from './print-problem.ts';

export interface ConnectionOptions {
  readonly server?: string;
  readonly token?: string;
}

export function withConnection(command: Command): Command {
  return command
    .option('--server <url>', 'the server (EVIDENT_SERVER, else as the data directory says)')
    .option('--token <token>', 'the token (EVIDENT_TOKEN, else as the data directory says)');
}

/**
 * Server and token are found independently of each other: by option, by variable, else in a data directory.
 */
export function connect({ server, token }: ConnectionOptions): Client {
  return new Client(serverAddress(server), tokenOf(token));
}

export function serverAddress(option?: string): string {
  const named = option ?? process.env.EVIDENT_SERVER;
  if (named !== undefined && named !== '') {
    if (!/^https?:\/\//.test(named) || !URL.canParse(named))
      throw new UsageError(
        `${JSON.stringify(named)} is no address of a server. Write it as http://127.0.0.1:7717.`,
      );
    return named;
  }
  const { path, dirs } = inData('server.json');
  if (path === null)
    throw new NoStoreFound(
      `No server runs on ${dirs.join(', ')}. Start one with: evident up. Or name another with --server or EVIDENT_SERVER.`,
    );
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { api: string }).api;
  } catch {
    throw new NoStoreFound(`${path} cannot be read. Start the server again, or name one with --server.`);
  }
}

export function tokenOf(option?: string): string {
  const named = option ?? process.env.EVIDENT_TOKEN;
  if (named !== undefined && named !== '') return named;
  const { path, dirs } = inData('admin-token');
  if (path === null)
    throw new UsageError(
      `There is no token in ${dirs.join(', ')}. Name one with --token or EVIDENT_TOKEN; an administrator makes one: evident tokens create --role deployer.`,
    );
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new UsageError(
      `${path} may not be read by you. Name a token of your own with --token or EVIDENT_TOKEN.`,
    );
  }
}

/** The path of a file in a data directory, and the directories that were searched. */
export function inData(file: string): { readonly path: string | null; readonly dirs: readonly string[] } {
  const dirs = process.env.EVIDENT_DATA
    ? [resolve(process.env.EVIDENT_DATA)]
    : [...upwards(process.cwd()).map((dir) => join(dir, '.evident')), join(homedir(), '.evident')];
  const path = dirs.map((dir) => join(dir, file)).find((at) => existsSync(at)) ?? null;
  // Only existing directories are worth naming to a person.
  const existing = dirs.filter((dir) => existsSync(dir));
  return { path, dirs: existing.length > 0 ? existing : dirs.slice(-1) };
}

function upwards(from: string): string[] {
  const parent = dirname(from);
  return parent === from ? [from] : [from, ...upwards(parent)];
}
