import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Opened by a process of its own: neither its descriptors nor its time are the ones that look at the truth. */
const SCRIPT = `
const { connect } = require('node:net');
const [port, count] = process.argv.slice(1).map(Number);
let opened = 0;
const next = () => {
  for (let n = 0; n < 100 && opened < count; n++, opened++)
    connect(port, '127.0.0.1').on('error', () => {});
  if (opened < count) setTimeout(next, 50);
};
next();
setInterval(() => {}, 1000);
process.on('disconnect', () => process.exit(0));
`;

/** Connections that say nothing, thousands of them to one port. */
export class IdleConnections {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static start(port: number, count: number): IdleConnections {
    // The channel ends with this process, and the connections with it.
    const stdio = ['ignore', 'ignore', 'ignore', 'ipc'] as const;
    const args = ['-e', SCRIPT, String(port), String(count)];
    return new IdleConnections(spawn(process.execPath, args, { stdio: [...stdio] }));
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
