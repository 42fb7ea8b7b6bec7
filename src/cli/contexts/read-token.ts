import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { UsageError } from '../print-problem.ts';

/** The ways to pass a token. An argument is the last choice: others on the machine may see it. */
export interface TokenOptions {
  readonly token?: string;
  readonly tokenFile?: string;
}

/** Reads the token, or a sign-in link, that a person or a script passes. */
export async function readToken(server: string, options: TokenOptions): Promise<string> {
  const read = (await readAnyhow(server, options)).trim();
  if (read === '')
    throw new UsageError(
      `No token came. Pass it on standard input: evident login ${server} < FILE. An administrator makes one: evident tokens create --role deployer`,
    );
  if (/[^\x21-\x7e]/.test(read))
    throw new UsageError('The token has spaces or line ends in it. Pass the token alone.');
  return read;
}

const whence = (server: string) =>
  `In a browser that is signed in, ${server}/settings/command-line makes a link. An administrator makes a token: evident tokens create --role deployer`;

function readAnyhow(server: string, { token, tokenFile }: TokenOptions): string | Promise<string> {
  if (token !== undefined) return token;
  if (tokenFile !== undefined && tokenFile !== '-') return fromFile(tokenFile);
  if (process.stdin.isTTY !== true || tokenFile === '-') return text(process.stdin);
  process.stderr.write(`${whence(server)}\n`);
  return typed(`Token or sign-in link for ${server} (it is not shown): `);
}

function fromFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

/** Asks on the terminal, without showing what is typed or pasted. */
function typed(question: string): Promise<string> {
  const { stdin, stderr } = process;
  // Before the question: the terminal would show what is pasted as soon as that is seen.
  stdin.setRawMode(true).setEncoding('utf8').resume();
  stderr.write(question);
  return new Promise((done) => {
    let line = '';
    const end = () => {
      stdin.off('data', hear);
      stdin.setRawMode(false).pause();
      stderr.write('\n');
    };
    const hear = (keys: string) => {
      for (const key of keys) {
        if (key === '\x03') {
          end();
          process.exit(130);
        } else if (key === '\r' || key === '\n' || key === '\x04') {
          end();
          return done(line);
        } else if (key === '\x7f' || key === '\b') line = line.slice(0, -1);
        else line += key;
      }
    };
    stdin.on('data', hear);
  });
}
