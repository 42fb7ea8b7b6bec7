import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** The fate of the bytes between a component and its servers. */
export type LinkMode =
  | { readonly kind: 'pass' }
  /** Each piece arrives later, in order. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Connections stay open, and nothing passes until the mode changes. */
  | { readonly kind: 'black_hole' }
  /** Connections are cut, and new ones too. */
  | { readonly kind: 'drop' };

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
}

/** A small TCP proxy in front of one or more servers; each connection goes to the next one that accepts it. */
export class LinkProxy {
  readonly #server: Server;
  readonly #upstream: readonly number[];
  readonly #connections = new Set<Connection>();
  #mode: LinkMode = { kind: 'pass' };
  #next = 0;

  private constructor(upstream: readonly number[]) {
    this.#upstream = upstream;
    this.#server = createServer({ noDelay: true }, (client) => this.#accept(client));
  }

  static async start(upstream: readonly number[]): Promise<LinkProxy> {
    const proxy = new LinkProxy(upstream);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  set(mode: LinkMode): void {
    this.#mode = mode;
    if (mode.kind === 'drop') this.#destroyAll((socket) => socket.destroy());
    for (const { client, server } of this.#connections)
      for (const socket of [client, server]) mode.kind === 'black_hole' ? socket.pause() : socket.resume();
  }

  /** Every connection ends with a reset; new ones pass. */
  reset(): void {
    this.#destroyAll((socket) => socket.resetAndDestroy());
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#destroyAll((socket) => socket.destroy());
    await closed;
  }

  #destroyAll(end: (socket: Socket) => void): void {
    for (const { client, server } of [...this.#connections]) {
      end(client);
      end(server);
    }
  }

  #accept(client: Socket, tries = 0): void {
    client.on('error', () => {});
    const port = this.#upstream[this.#next++ % this.#upstream.length];
    if (this.#mode.kind === 'drop' || port === undefined || tries === this.#upstream.length) {
      client.destroy();
      return;
    }
    client.pause();
    const server = connect({ port, host: '127.0.0.1', noDelay: true });
    server.once('error', () => this.#accept(client, tries + 1));
    server.once('connect', () => {
      server.removeAllListeners('error').on('error', () => {});
      this.#join({ client, server });
    });
  }

  #join(connection: Connection): void {
    const { client, server } = connection;
    this.#connections.add(connection);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('data', (bytes) => this.#hand(from, to, bytes));
      from.on('end', () => to.end());
      from.once('close', () => {
        to.destroy();
        this.#connections.delete(connection);
      });
      if (this.#mode.kind !== 'black_hole') from.resume();
    }
  }

  #hand(from: Socket, to: Socket, bytes: Buffer): void {
    const write = () => {
      if (to.destroyed || to.write(bytes)) return;
      from.pause();
      to.once('drain', () => {
        if (this.#mode.kind !== 'black_hole') from.resume();
      });
    };
    if (this.#mode.kind === 'delay') setTimeout(write, this.#mode.ms);
    else write();
  }
}
