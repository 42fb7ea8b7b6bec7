import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import type { TlsOptions } from '../router/router.ts';
import type { HttpsDoor, ServiceRoute } from '../supervise/router-port.ts';

/** An order to a router. They are carried out in the order in which they are sent; the first says the secret. */
export type ControlOrder =
  | { readonly order: 'hello'; readonly secret: string }
  | { readonly order: 'ping' }
  | {
      readonly order: 'listen';
      readonly host: string;
      readonly port: number;
      readonly tls: TlsOptions | null;
    }
  | { readonly order: 'set'; readonly route: ServiceRoute }
  | { readonly order: 'expose'; readonly service: string; readonly port: number }
  | { readonly order: 'delete'; readonly service: string }
  /** Deletes every service that is not named. */
  | { readonly order: 'keep'; readonly services: readonly string[] }
  | { readonly order: 'drain'; readonly uid: string; readonly withinMs: number }
  /** Starts another router, and hands every listener over to it. */
  | { readonly order: 'hand_over'; readonly program: string; readonly args: readonly string[] }
  | { readonly order: 'stop'; readonly withinMs: number };

export type NumberedOrder = ControlOrder & { readonly id: number };

/** The port where it listens by host name, and the services to which it forwards. */
export interface RouterStatus {
  readonly port: number;
  readonly https: HttpsDoor | null;
  readonly forwards: readonly string[];
}

interface OrderError {
  readonly message: string;
  readonly code: string | undefined;
  /** The port that could not be opened. */
  readonly port: number | undefined;
}

export type ControlReply =
  | { readonly id: number; readonly status: RouterStatus }
  | { readonly id: number; readonly error: OrderError }
  /** An instance refused a connection or broke one off. */
  | { readonly refused: string };

const LONGEST_LINE = 16 << 20;

/** Calls for each line of JSON that comes; ends the connection at a line that is none. */
export function onLines<T>(socket: Socket, take: (message: T) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  socket.on('data', (bytes: Buffer) => {
    rest += decoder.write(bytes);
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) return void socket.destroy();
    for (const line of lines)
      try {
        take(JSON.parse(line) as T);
      } catch {
        socket.destroy();
        return;
      }
  });
}

export function sendLine(socket: Socket, message: ControlReply | NumberedOrder): void {
  socket.write(`${JSON.stringify(message)}\n`);
}
