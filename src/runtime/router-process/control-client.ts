import { connect, type Socket } from 'node:net';
import { AWAKE } from '../supervise/awake-clock.ts';
import { type ControlOrder, type ControlReply, onLines, type RouterStatus, sendLine } from './control.ts';
import { type RouterRecord, throughSocket } from './place.ts';

interface Waiting {
  done(status: RouterStatus): void;
  fail(error: Error): void;
}

/** A router that does not answer within this time does not answer at all. */
const ANSWER_MS = 5_000;

/** The connection to a living router. Orders are answered in their order, except that a drain may take its time. */
export class ControlClient {
  readonly record: RouterRecord;
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #id = 0;
  #settled: Promise<unknown> = Promise.resolve();

  private constructor(socket: Socket, record: RouterRecord, onRefused: (uid: string) => void) {
    this.record = record;
    this.#socket = socket;
    socket.on('error', () => {});
    onLines<ControlReply>(socket, (reply) => {
      if ('refused' in reply) return onRefused(reply.refused);
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ('status' in reply) waiting?.done(reply.status);
      else waiting?.fail(Object.assign(new Error(reply.error.message), reply.error, { syscall: 'listen' }));
    });
    this.closed = new Promise((done) => {
      socket.once('close', () => {
        for (const { fail } of this.#waiting.values()) fail(new Error('The router has ended.'));
        this.#waiting.clear();
        done();
      });
    });
  }

  static async open(dir: string, record: RouterRecord, onRefused: (uid: string) => void) {
    const socket = throughSocket(dir, (path) => connect(path));
    const client = new ControlClient(socket, record, onRefused);
    const status = await client.within(ANSWER_MS, { order: 'hello', secret: record.secret });
    return { client, status };
  }

  send(order: ControlOrder): Promise<RouterStatus> {
    this.#id += 1;
    const id = this.#id;
    const reply = new Promise<RouterStatus>((done, fail) => {
      if (this.#socket.destroyed) fail(new Error('The router has ended.'));
      else this.#waiting.set(id, { done, fail });
    });
    sendLine(this.#socket, { ...order, id });
    // A reply that nobody waits for may fail.
    reply.catch(() => {});
    if (order.order !== 'drain') this.#settled = reply.catch(() => {});
    return reply;
  }

  /** Rejects, and closes the connection, if the router has not answered by then. */
  async within(ms: number, order: ControlOrder): Promise<RouterStatus> {
    const callOff = AWAKE.after(ms, () => this.#socket.destroy());
    try {
      return await this.send(order);
    } finally {
      callOff();
    }
  }

  /** Resolves when every order that was sent is carried out. */
  async settled(): Promise<void> {
    await this.#settled;
  }

  close(): void {
    this.#socket.destroy();
  }
}
