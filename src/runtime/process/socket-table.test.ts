import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SocketTable } from './socket-table.ts';

const directory = mkdtempSync(join(tmpdir(), 'evident-sockets-'));
const path = join(directory, 'tcp');
afterAll(() => rmSync(directory, { recursive: true }));

const HEADING =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const line = (port: number, state: string) => {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return `   0: 0100007F:${hex} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${port}9 1`;
};
const listens = (port: number) => line(port, '0A');
/** More than is read at once. */
const CONNECTIONS = Array.from({ length: 2_000 }, (_, i) => line(20_000 + i, '01'));
const write = (...lines: string[]) => writeFileSync(path, [HEADING, ...lines, ''].join('\n'));
const portsOf = (table: SocketTable) => table.listening()?.map(({ port }) => port);

describe('a table of sockets', () => {
  it('is read no further than to the first connection, once those that listen were seen to come before', () => {
    const table = new SocketTable(path);
    write(listens(80), listens(443), ...CONNECTIONS);
    expect(portsOf(table)).toEqual([80, 443]);
    // No kernel writes this; only a reader that goes on would find the last one.
    write(listens(80), listens(8_080), ...CONNECTIONS, listens(9_090));
    expect(portsOf(table)).toEqual([80, 8_080]);
  });

  it('is read whole where a kernel keeps no such order', () => {
    const table = new SocketTable(path);
    write(listens(80), ...CONNECTIONS, listens(443));
    expect(portsOf(table)).toEqual([80, 443]);
    expect(portsOf(table)).toEqual([80, 443]);
  });

  it('is read whole while nothing tells the order', () => {
    const table = new SocketTable(path);
    write(listens(80));
    expect(portsOf(table)).toEqual([80]);
    write(listens(80), ...CONNECTIONS, listens(443));
    expect(portsOf(table)).toEqual([80, 443]);
  });

  it('finds every socket where more listen than are read at once', () => {
    const table = new SocketTable(path);
    const many = Array.from({ length: 2_000 }, (_, i) => listens(1_000 + i));
    for (let round = 0; round < 2; round++) {
      write(...many, ...CONNECTIONS);
      expect(portsOf(table)).toHaveLength(2_000);
    }
  });

  it('is null where the kernel has none', () => {
    expect(new SocketTable(join(directory, 'none')).listening()).toBeNull();
  });
});
