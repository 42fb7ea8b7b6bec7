import {
  type Dialect,
  isNothing,
  parseStoredJson,
  plainText,
  readDigits,
  readInt,
  type Value,
} from '../sql/dialect.ts';

export const POSTGRES: Dialect = {
  name: 'postgres',
  forUpdate: true,
  encode(kind, value): Value {
    if (isNothing(value)) return null;
    switch (kind) {
      case 'int':
        return value as number;
      case 'bool':
        return value as boolean;
      case 'digits':
        return value as string;
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
      case 'digits':
        return readDigits(String(value));
      case 'json':
        return parseStoredJson(value);
      default:
        return value;
    }
  },
};
