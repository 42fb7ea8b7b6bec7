import { fieldName, valueText } from './changes.ts';
import { span } from './times.ts';

/** A field of a configuration as a page names it: `deadlines.publishMs` is "Deadlines, publish"; a variable keeps its name. */
export function settingName(field: string): string {
  if (field.startsWith('env.')) return fieldName(field);
  const words = fieldName(field)
    .replace(/Ms$/, '')
    .replaceAll('.', ', ')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** Its value: a time with its unit, a command as it is typed. */
export function settingValue(field: string, value: unknown): string {
  if (typeof value === 'number' && field.endsWith('Ms')) return span(value).replace(/ 0 s$|\.0(?= s$)/, '');
  if (!field.startsWith('env.') && Array.isArray(value))
    return value
      .map((one) => (Array.isArray(one) ? one.join(' ') : String(one)))
      .join(value.some(Array.isArray) ? ', ' : ' ');
  return valueText(value, field);
}
