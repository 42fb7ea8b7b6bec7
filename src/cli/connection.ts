import { homedir } from 'node:os';
import type { Command } from 'commander';
import { Client } from '../client/client.ts';
import type { CliSurroundings } from './data-place.ts';
import { type ConnectionOptions, type FoundConnection, findConnection } from './find-connection.ts';
import { UsageError } from './print-problem.ts';

export function withConnection(command: Command): Command {
  return command
    .option('--server <url>', 'the server, with --token (EVIDENT_SERVER, else the context’s)')
    .option('--token <token>', 'its token (EVIDENT_TOKEN, else the context’s)');
}

/** The surroundings of this process. */
export function ownSurroundings(): CliSurroundings {
  return { env: process.env, cwd: process.cwd(), home: homedir(), uid: process.getuid?.() ?? 0 };
}

/** Finds a server and the token for it, or refuses with a sentence that says what to do. */
export function requireConnection(
  options: ConnectionOptions,
  context: string | null = null,
): FoundConnection {
  const found = findConnection(options, ownSurroundings(), context);
  if (found.token === null) throw new UsageError(found.missing);
  return found;
}

export function connect(options: ConnectionOptions, context: string | null = null): Client {
  const { server, token } = requireConnection(options, context);
  return new Client(server, token);
}
