import { UNREADABLE } from '../columns.ts';
import {
  type Dialect,
  isNothing,
  parseStoredJson,
  plainText,
  readDigits,
  readInt,
  type Value,
} from '../sql/dialect.ts';
import { rowAsJson } from './row-as-json.ts';

/**
 * Booleans are stored as 0 and 1, because binding one aborts the driver; digits after their length, so that
 * text sorts by value.
 */
export const SQLITE: Dialect = {
  name: 'sqlite',
  forUpdate: false,
  foundApart: new Map(),
  rowAsJson: (columns) => rowAsJson(columns.map((name) => `"${name}"`)),
  encode(kind, value): Value {
    if (isNothing(value)) return null;
    switch (kind) {
      case 'int':
        return value as number;
      case 'bool':
        return value ? 1 : 0;
      case 'digits': {
        const digits = String(value);
        // mutant: positions-sort
        return digits.length < 10 ? `0${digits.length}${digits}` : `${digits.length}${digits}`;
      }
      case 'json':
        return JSON.stringify(value);
      case 'text':
      case 'absent_or_text':
        return plainText(value);
    }
  },
  decode(kind, value) {
    switch (kind) {
      case 'int':
        return readInt(value);
      case 'bool':
        return value === 1 ? true : value === 0 ? false : UNREADABLE;
      case 'digits':
        return typeof value === 'string' ? readDigits(value.slice(2)) : UNREADABLE;
      case 'json':
        return parseStoredJson(value);
      case 'text':
      case 'absent_or_text':
        return typeof value === 'string' ? value : UNREADABLE;
    }
  },
};
