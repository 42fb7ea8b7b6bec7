import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Limits the open connections of listeners together (F122). A new one over the limit closes the one that has waited
 * longest without a request; where every connection has a request, the new one is refused.
 *
 * Rejected: `server.maxConnections`, which refuses the newest: whoever holds idle connections would keep everybody out.
 */
export class ConnectionCap {
  readonly #limit: number;
  readonly #open = new Set<Duplex>();
  /** Connections without a request, the one that has waited longest first. */
  readonly #idle = new Set<Duplex>();
  readonly #requests = new Map<Duplex, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get count(): number {
    return this.#open.size;
  }

  /** @param onError an error of the listener itself: a connection that could not be accepted is one connection lost */
  watch(server: Server, onError: (error: Error) => void = () => {}): void {
    server.on('error', onError);
    server.on('connection', (socket) => this.opened(socket));
    server.on('request', ({ socket }, res) => {
      this.#requests.set(socket, (this.#requests.get(socket) ?? 0) + 1);
      this.#idle.delete(socket);
      res.once('close', () => this.#answered(socket));
    });
    // It becomes another protocol, in which nobody here can tell what is idle.
    server.on('upgrade', (_, socket) => this.#idle.delete(socket));
  }

  /** Ends every connection. */
  destroyAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  /** Counts a connection that no listener of HTTP has yet. */
  opened(socket: Socket): void {
    // A connection that was handed back to its listener.
    if (this.#open.has(socket)) return void this.#idle.add(socket);
    if (this.#open.size >= this.#limit) {
      const [oldest] = this.#idle;
      if (oldest === undefined) return void socket.destroy();
      this.closed(oldest);
      oldest.destroy();
    }
    this.#open.add(socket);
    this.#idle.add(socket);
    socket.once('close', () => this.closed(socket));
  }

  #answered(socket: Socket): void {
    const left = (this.#requests.get(socket) ?? 1) - 1;
    if (left > 0) return void this.#requests.set(socket, left);
    this.#requests.delete(socket);
    if (this.#open.has(socket)) this.#idle.add(socket);
  }

  closed(socket: Duplex): void {
    this.#open.delete(socket);
    this.#idle.delete(socket);
    this.#requests.delete(socket);
  }
}
