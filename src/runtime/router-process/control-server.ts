import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { type NumberedOrder, onLines, type RouterStatus, sendLine } from './control.ts';
import { SOCKET, throughSocket } from './place.ts';

/** The control socket of a router: carries out orders of whoever knows the secret, one after the other. */
export class ControlServer {
  readonly #dir: string;
  readonly #secret: Buffer;
  readonly #carryOut: (order: NumberedOrder) => Promise<RouterStatus>;
  readonly #clients = new Set<Socket>();
  readonly #server: Server;

  constructor(dir: string, secret: string, carryOut: (order: NumberedOrder) => Promise<RouterStatus>) {
    this.#dir = dir;
    this.#secret = Buffer.from(secret);
    this.#carryOut = carryOut;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** The caller has the directory alone: a socket that is there belongs to nobody. */
  async listen(): Promise<void> {
    rmSync(join(this.#dir, SOCKET), { force: true });
    throughSocket(this.#dir, (path) => this.#server.listen(path));
    await once(this.#server, 'listening');
    chmodSync(join(this.#dir, SOCKET), 0o600);
  }

  refused(uid: string): void {
    for (const client of this.#clients) sendLine(client, { refused: uid });
  }

  /** Takes no new connections; those that are there stay until `close`. */
  async stopListening(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    rmSync(join(this.#dir, SOCKET), { force: true });
  }

  close(): void {
    for (const client of this.#clients) client.destroy();
    this.#server.close();
  }

  #serve(socket: Socket): void {
    socket.on('error', () => {});
    socket.once('close', () => this.#clients.delete(socket));
    let turn: Promise<unknown> = Promise.resolve();
    const reply = async (order: NumberedOrder) => {
      try {
        sendLine(socket, { id: order.id, status: await this.#carryOut(order) });
      } catch (error) {
        const { message, code, port } = error as NodeJS.ErrnoException & { readonly port?: number };
        sendLine(socket, { id: order.id, error: { message, code, port } });
      }
    };
    onLines<NumberedOrder>(socket, (order) => {
      if (order.order === 'hello' && this.#isSecret(order.secret)) this.#clients.add(socket);
      if (!this.#clients.has(socket)) return void socket.destroy();
      // A drain may take long, and holds nobody up.
      turn = order.order === 'drain' ? turn.then(() => void reply(order)) : turn.then(() => reply(order));
    });
  }

  #isSecret(said: unknown): boolean {
    const bytes = Buffer.from(String(said));
    return bytes.length === this.#secret.length && timingSafeEqual(bytes, this.#secret);
  }
}
