import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Place } from './places.ts';

/** A real server process on a database of its own, and a client that knows the protocol alone. */
export class Served {
  readonly address: string;
  readonly #token: string;
  readonly #pid: number;
  readonly #close: () => Promise<void>;

  private constructor(address: string, token: string, pid: number, close: () => Promise<void>) {
    this.address = address;
    this.#token = token;
    this.#pid = pid;
    this.#close = close;
  }

  static async start(place: Place, label: string, args: readonly string[]): Promise<Served> {
    const data = mkdtempSync(join(tmpdir(), 'evident-served-'));
    const database = place.name === 'SQLite' ? [] : ['--database', await place.create(label)];
    const command = ['scripts/run.mjs', 'evident', 'server', '--data', data, '--port', '0', '-o', 'json'];
    const child = spawn(process.execPath, [...command, ...database, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, EVIDENT_LOG: 'warn' },
    });
    const ended = new Promise<void>((done) => child.once('close', () => done()));
    const address = await new Promise<string>((ready, fail) => {
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        const line = said.split('\n').find((l) => l.startsWith('{"event":"ready"'));
        if (line !== undefined) ready((JSON.parse(line) as { api: string }).api);
      });
      void ended.then(() => fail(new Error('the server ended')));
    });
    const { pid } = JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')) as { pid: number };
    const close = async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(data, { recursive: true, force: true });
    };
    return new Served(address, readFileSync(join(data, 'admin-token'), 'utf8').trim(), pid, close);
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** Bytes that the process holds, where the system tells. */
  memory(): number {
    try {
      const status = readFileSync(`/proc/${this.#pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) * 1024;
    } catch {
      return Number.NaN;
    }
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

  async tokenFor(role: string): Promise<string> {
    return (await this.call('POST', '/v1/tokens', { role })).token;
  }

  /** Watches until told to stop; `heard` gets each event as it arrives. */
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
