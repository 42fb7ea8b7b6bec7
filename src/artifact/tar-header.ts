/**
 * The fields of a 512-byte header block that Evident uses, read strictly: an odd value is refused, never
 * guessed.
 */
export interface TarHeader {
  readonly name: Uint8Array;
  readonly flag: string;
  readonly mode: number;
  readonly size: number;
  /** The target of a link. */
  readonly link: Uint8Array;
}

/** `no_header`: the checksum does not fit. `no_numbers`: it is a header, and its numbers cannot be read. */
type NoHeader = 'no_header' | 'no_numbers';

export const BLOCK = 512;

export function readHeader(block: Uint8Array): TarHeader | NoHeader {
  if (readNumber(block, 148, 8) !== checksum(block)) return 'no_header';
  const [mode, size] = [readNumber(block, 100, 8), readNumber(block, 124, 12)];
  // Evident ignores owners and times, but the program that unpacks reads them and would stop at them.
  const others = [readNumber(block, 108, 8), readNumber(block, 116, 8), readNumber(block, 136, 12)];
  if (mode === null || size === null || others.includes(null)) return 'no_numbers';
  const name = untilNul(block.subarray(0, 100));
  const prefix = isUstar(block) ? untilNul(block.subarray(345, 500)) : new Uint8Array();
  return {
    name: prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), name]) : Buffer.from(name),
    flag: String.fromCharCode(block[156] ?? 0),
    mode,
    size,
    link: Buffer.from(untilNul(block.subarray(157, 257))),
  };
}

export function untilNul(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0);
  return end === -1 ? bytes : bytes.subarray(0, end);
}

export function isZero(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte !== 0) return false;
  return true;
}

/** GNU's own magic ends in a space, and stores times where ustar has the prefix. */
function isUstar(block: Uint8Array): boolean {
  return Buffer.from(block.subarray(257, 263)).toString('latin1') === 'ustar\0';
}

/** The sum of all bytes, the checksum itself counted as spaces. */
function checksum(block: Uint8Array): number {
  let sum = 8 * SPACE;
  for (let at = 0; at < 148; at++) sum += block[at] ?? 0;
  for (let at = 156; at < BLOCK; at++) sum += block[at] ?? 0;
  return sum;
}

/** Octal between spaces and NULs, or GNU's binary form, marked by the highest bit. */
function readNumber(block: Uint8Array, at: number, length: number): number | null {
  const field = block.subarray(at, at + length);
  if (field[0] === 0x80) {
    let value = 0;
    for (const byte of field.subarray(1)) value = value * 256 + byte;
    return Number.isSafeInteger(value) ? value : null;
  }
  let place = 0;
  while (field[place] === SPACE) place += 1;
  let value = 0;
  for (; place < length; place++) {
    const digit = (field[place] ?? 0) - ZERO;
    if (digit < 0 || digit > 7) break;
    value = value * 8 + digit;
  }
  for (; place < length; place++) if (field[place] !== SPACE && field[place] !== 0) return null;
  return value;
}

const SPACE = 0x20;
const ZERO = 0x30;

/**
 * The records `<length> <key>=<value>\n` of a pax header, or null if the bytes have another form.
 */
export function readPax(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> | null {
  const records = new Map<string, Uint8Array>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    if (space === -1 || space - at > 7) return null;
    const digits = Buffer.from(bytes.subarray(at, space)).toString('latin1');
    const end = at + Number(digits);
    const equals = bytes.indexOf(0x3d, space);
    if (!/^[1-9]\d*$/.test(digits) || end > bytes.length || bytes[end - 1] !== 0x0a) return null;
    if (equals <= space + 1 || equals >= end) return null;
    const key = Buffer.from(bytes.subarray(space + 1, equals)).toString('latin1');
    records.set(key, bytes.slice(equals + 1, end - 1));
    at = end;
  }
  return records;
}
