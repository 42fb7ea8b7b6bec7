import { endianness } from 'node:os';
import { SocketTable } from './socket-table.ts';

/** One socket that listens, by the kernel's number and the address to which it is bound, as /proc/net writes it. */
export interface ListeningSocket {
  readonly bound: string;
  readonly socket: string;
}

/** The kernel writes addresses as words of the machine. */
const word = (bytes: string) =>
  endianness() === 'LE' ? (bytes.match(/../g) ?? []).reverse().join('') : bytes;
const ANY_4 = word('00000000');
const LOOPBACK_4 = word('7F000001');
const ANY_6 = '0'.repeat(32);
const LOOPBACK_6 = `${'0'.repeat(24)}${word('00000001')}`;
const MAPPED_4 = `${'0'.repeat(16)}${word('0000FFFF')}${LOOPBACK_4}`;

/**
 * The addresses of the loopback interface, in the order in which they are probed: an app that listens on `localhost`
 * may be found on IPv6 only. For each, the bindings that receive its connections, the most specific first: a
 * socket on `::` receives IPv4 too, unless another is bound to IPv4.
 */
export const RECEIVERS: readonly { readonly address: string; readonly bindings: readonly string[][] }[] = [
  { address: '127.0.0.1', bindings: [[LOOPBACK_4, MAPPED_4], [ANY_4], [ANY_6]] },
  { address: '::1', bindings: [[LOOPBACK_6], [ANY_6]] },
];

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => new SocketTable(path));

/** Every listening socket of this machine by its port; null if the kernel does not let us read them. */
export function listeningSockets(): ReadonlyMap<number, readonly ListeningSocket[]> | null {
  const tables = TABLES.map((table) => table.listening());
  if (tables.every((table) => table === null)) return null;
  const found = new Map<number, ListeningSocket[]>();
  for (const { bound, port, socket } of tables.flatMap((table) => table ?? []))
    found.set(port, [...(found.get(port) ?? []), { bound, socket }]);
  return found;
}
