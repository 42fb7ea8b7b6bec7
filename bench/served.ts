import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Program } from '../lab/program.ts';
import type { BenchDatabase } from './databases.ts';

/** A directory of files, and the URL of PostgreSQL; null: the database is in the directory. */
export interface ServerPlace {
  readonly data: string;
  readonly url: string | null;
}

/** For a server that is started more than once, or on a database that is filled before; whoever makes it removes it. */
export async function newPlace(database: BenchDatabase, label: string): Promise<ServerPlace> {
  const data = mkdtempSync(join(tmpdir(), 'evident-served-'));
  return { data, url: database.name === 'SQLite' ? null : await database.create(label) };
}

export const removePlace = (data: string) => rmSync(data, { recursive: true, force: true });

/** A real server process on a database of its own, and a client that knows the protocol alone. */
export class Served {
  readonly address: string;
  /** The URL of PostgreSQL; null: SQLite in a directory. */
  readonly database: string | null;
  readonly pid: number;
  readonly #token: string;
  readonly #close: () => Promise<void>;

  private constructor(
    address: string,
    database: string | null,
    token: string,
    pid: number,
    close: () => Promise<void>,
  ) {
    this.address = address;
    this.database = database;
    this.#token = token;
    this.pid = pid;
    this.#close = close;
  }

  static async start(
    database: BenchDatabase,
    label: string,
    args: readonly string[],
    place?: ServerPlace,
  ): Promise<Served> {
    const { data, url } = place ?? (await newPlace(database, label));
    const databaseFlag = url === null ? [] : ['--database', url];
    const command = ['server', '--data', data, '--port', '0', '-o', 'json'];
    const server = Program.start([...command, ...databaseFlag, ...args]);
    const ready = JSON.parse(await server.line(/^{"event":"ready"/)) as { api: string };
    const close = async () => {
      await server.end();
      if (place === undefined) removePlace(data);
    };
    const token = readFileSync(join(data, 'admin-token'), 'utf8').trim();
    return new Served(ready.api, url, token, server.pid, close);
  }

  /** For as long as `act` takes. */
  static async with<T>(
    database: BenchDatabase,
    label: string,
    args: readonly string[],
    act: (served: Served) => Promise<T>,
  ): Promise<T> {
    const served = await Served.start(database, label, args);
    try {
      return await act(served);
    } finally {
      await served.close();
    }
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** Bytes that the process holds, if the system says so. */
  memory(): number {
    try {
      const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) * 1024;
    } catch {
      return Number.NaN;
    }
  }

  /** For the command line of an administrator. */
  get environment(): Readonly<Record<string, string>> {
    return { EVIDENT_SERVER: this.address, EVIDENT_TOKEN: this.#token };
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of the protocol, read field by field
  async call(method: string, path: string, body?: unknown, token = this.#token): Promise<any> {
    const response = await fetch(`${this.address}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  /** An answer that is not JSON. */
  async text(path: string): Promise<string> {
    const response = await fetch(`${this.address}${path}`, {
      headers: { authorization: `Bearer ${this.#token}` },
    });
    return response.text();
  }

  /** Bytes as they are, or a form. */
  async upload(path: string, body: Uint8Array<ArrayBuffer> | FormData, token = this.#token): Promise<void> {
    const isForm = body instanceof FormData;
    const response = await fetch(`${this.address}${path}`, {
      method: isForm ? 'POST' : 'PUT',
      headers: {
        authorization: `Bearer ${token}`,
        ...(isForm ? {} : { 'content-type': 'application/octet-stream' }),
      },
      body,
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }

  async tokenFor(role: string): Promise<string> {
    return (await this.call('POST', '/v1/tokens', { role })).token;
  }

  /** Watches until stopped; `heard` gets each event as it arrives. */
  watch(path: string, heard: (event: string, data: string) => void): Promise<() => void> {
    return new Promise((open, fail) => {
      const request = get(`${this.address}${path}`, {
        agent: false,
        headers: { authorization: `Bearer ${this.#token}`, accept: 'text/event-stream' },
      });
      request.once('error', fail);
      request.once('response', (response: IncomingMessage) => {
        let rest = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          const events = (rest + text).split('\n\n');
          rest = events.pop() ?? '';
          for (const event of events) {
            const name = /^event: (.*)$/m.exec(event)?.[1];
            const data = /^data: (.*)$/m.exec(event)?.[1];
            if (name !== undefined && data !== undefined) heard(name, data);
          }
        });
        response.on('error', () => {});
        request.removeListener('error', fail).on('error', () => {});
        open(() => request.destroy());
      });
    });
  }
}

export const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;
