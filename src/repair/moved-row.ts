import type { Stored } from '../store/broken-row.ts';
import type { Table } from '../store/schema.ts';

/**
 * A row that moves out. It is written to the output before it is removed: a crash in between repeats it, and
 * loses nothing.
 */
export type MovedRow = { [T in Table]: { readonly table: T; readonly row: Stored<T> } }[Table];
