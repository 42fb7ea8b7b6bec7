import { closeSync, openSync, readSync } from 'node:fs';

/** A socket that listens: the address to which it is bound, as the kernel writes it, its port and its number. */
interface TableSocket {
  readonly bound: string;
  readonly port: number;
  readonly socket: string;
}

const LISTEN = '0A';
const chunk = Buffer.alloc(64 * 1024);

/**
 * One of the kernel's tables of sockets. Linux writes those that listen before all others, and the others may be tens of
 * thousands of connections that are slow to read: reading ends with the first of them. Another kernel need not keep
 * this order, so the table is read whole until it was seen to be kept.
 */
export class SocketTable {
  readonly #path: string;
  #listensFirst: boolean | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Null if the kernel has no such table or keeps it from us. Throws what is our own want: no descriptor is left (F122). */
  listening(): readonly TableSocket[] | null {
    const lines = this.#lines();
    if (lines === null) return null;
    const states = lines.map((line) => line[3]);
    this.#listensFirst ??= isInOrder(states);
    return lines.flatMap(([, local = '', , state, , , , , , socket]) => {
      if (state !== LISTEN || socket === undefined) return [];
      const [bound = '', hexPort = ''] = local.split(':');
      return { bound, port: Number.parseInt(hexPort, 16), socket };
    });
  }

  /** The fields of each line without the heading. */
  #lines(): readonly (readonly string[])[] | null {
    let file: number;
    try {
      file = openSync(this.#path, 'r');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'EACCES' || code === 'EPERM') return null;
      throw error;
    }
    try {
      const lines: (readonly string[])[] = [];
      let rest = '';
      for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk)) {
        const whole = `${rest}${chunk.toString('latin1', 0, size)}`.split('\n');
        rest = whole.pop() ?? '';
        for (const line of whole) lines.push(line.trim().split(/\s+/));
        if (this.#listensFirst && lines.length > 1 && lines.at(-1)?.[3] !== LISTEN) break;
      }
      return lines.slice(1);
    } finally {
      closeSync(file);
    }
  }
}

/** Null where there is nothing to tell it by: no socket, or only such as listen. */
function isInOrder(states: readonly (string | undefined)[]): boolean | null {
  const firstOther = states.findIndex((state) => state !== LISTEN);
  const lastListening = states.lastIndexOf(LISTEN);
  if (firstOther === -1 || lastListening === -1) return null;
  return lastListening < firstOther;
}
