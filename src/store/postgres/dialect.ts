import { type Dialect, parseJson, plainText, type Value } from '../sql/dialect.ts';

export const POSTGRES: Dialect = {
  name: 'postgres',
  forUpdate: true,
  encode(kind, value): Value {
    if (value === null || value === undefined) return null;
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
    return kind === 'json' ? parseJson(value) : value;
  },
};
