import type { IncomingMessage } from 'node:http';

/** Text without control bytes, which Node would throw at while it writes them. */
const TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** True if the words of an answer, names and values of its headers in turn, may be written to a client. Pure. */
export const areForwardable = (reason: string, headers: readonly string[]): boolean =>
  TEXT.test(reason) && headers.every((text, at) => (at % 2 === 0 ? TOKEN : TEXT).test(text));

/** The coding in which the body of an answer is framed. */
export const codingOf = ({ headers }: Pick<IncomingMessage, 'headers'>): string =>
  headers['transfer-encoding']?.trim().toLowerCase() ?? 'identity';

/** False for a coding that nobody here can frame anew. */
export const isFramed = (coding: string): boolean => coding === 'chunked' || coding === 'identity';
