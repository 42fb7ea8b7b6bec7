import { BLOCK } from './tar-header.ts';

/** The entries of an artifact. No other property of a file is kept. */
export type TarMember =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'link'; readonly path: string; readonly to: string }
  | { readonly kind: 'file'; readonly path: string; readonly size: number; readonly executable: boolean };

/** 1980 is the first instant that a zip can name, for apps that pack their own files where they run. */
const MTIME_S = 315_532_800;
const FLAGS = { file: '0', link: '2', directory: '5' } as const;

/** The header of an entry, preceded by a pax header where a name does not fit. */
export function tarHeader(member: TarMember): Uint8Array {
  const name = Buffer.from(member.kind === 'directory' ? `${member.path}/` : member.path);
  const link = Buffer.from(member.kind === 'link' ? member.to : '');
  const records = [
    ...(name.length > NAME_BYTES ? [paxRecord('path', name)] : []),
    ...(link.length > NAME_BYTES ? [paxRecord('linkpath', link)] : []),
  ];
  const size = member.kind === 'file' ? member.size : 0;
  const mode = member.kind === 'link' ? 0o777 : member.kind === 'file' && !member.executable ? 0o644 : 0o755;
  const header = block(name, FLAGS[member.kind], size, mode, link);
  if (records.length === 0) return header;
  const body = Buffer.concat(records);
  const padding = Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK);
  return Buffer.concat([
    block(Buffer.from('pax'), 'x', body.length, 0o644, Buffer.alloc(0)),
    body,
    padding,
    header,
  ]);
}

const NAME_BYTES = 100;

function block(name: Buffer, flag: string, size: number, mode: number, link: Buffer): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  name.copy(header, 0, 0, NAME_BYTES);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(MTIME_S, 136, 12);
  header.fill(' ', 148, 156);
  header.write(flag, 156, 'latin1');
  link.copy(header, 157, 0, NAME_BYTES);
  header.write('ustar\x0000', 257, 'latin1');
  let sum = 0;
  for (const byte of header) sum += byte;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

/**
 * `<length> <key>=<value>\n`; the length counts itself.
 */
function paxRecord(key: string, value: Buffer): Buffer {
  const rest = key.length + value.length + 3;
  let length = rest + String(rest).length;
  if (String(length).length !== String(rest).length) length = rest + String(length).length;
  return Buffer.concat([Buffer.from(`${length} ${key}=`), value, Buffer.from('\n')]);
}
