const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** A schedule for 29 February may wait this long. */
const FURTHEST_DAYS = 8 * 366;
/**
 * The time zone of a schedule is that of whoever runs it, and not in the object: a schedule that names hours may be off
 * by a day, one for every hour by the part of an hour that some zones have.
 */
const ZONES = 26 * 60 * MINUTE;
const PARTS_OF_AN_HOUR = 70 * MINUTE;

const MACROS: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/**
 * The first time after `from` at which the schedule was certainly due, whatever its time zone; null where none has
 * passed, or where the schedule is not understood: then nothing is said about it.
 */
export function overdue(schedule: string, from: number, now: number): number | null {
  const fields = fieldsOf(schedule);
  const [minutes, hours, days, months, weekdays] = valuesOf(fields);
  if (!minutes || !hours || !days || !months || !weekdays) return null;
  const [anyDay, anyWeekday] = [isAny(fields[2]), isAny(fields[4])];
  const slack = hours.size === 24 && anyDay && anyWeekday ? PARTS_OF_AN_HOUR : ZONES;
  const isDay = (day: Date) => {
    const byDay = days.has(day.getUTCDate());
    const byWeekday = weekdays.has(day.getUTCDay()) || (day.getUTCDay() === 0 && weekdays.has(7));
    return (
      months.has(day.getUTCMonth() + 1) && (anyDay || anyWeekday ? byDay && byWeekday : byDay || byWeekday)
    );
  };
  const midnight = Math.floor(from / DAY) * DAY;
  for (let at = midnight; at < now - slack && at < midnight + FURTHEST_DAYS * DAY; at += DAY) {
    if (!isDay(new Date(at))) continue;
    for (const hour of hours)
      for (const minute of minutes) {
        const due = at + (hour * 60 + minute) * MINUTE;
        if (due > from) return due < now - slack ? due : null;
      }
  }
  return null;
}

/** False of a schedule that no controller can read. One that waits for a span, or names its own zone, is not read here. */
export function isSchedule(schedule: string): boolean {
  const text = schedule.trim();
  if (/^@every \S+$|^(?:CRON_)?TZ=/.test(text)) return true;
  return valuesOf(fieldsOf(text)).every((field) => field !== null);
}

/** The most days of each month, in a leap year. */
const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** False of a schedule whose days none of its months has, as 31 February. A weekday that it names comes all the same. */
export function comesEver(schedule: string): boolean {
  const fields = fieldsOf(schedule);
  const [, , days, months] = valuesOf(fields);
  if (!days || !months || !isAny(fields[4])) return true;
  const [first = 1] = days;
  return [...months].some((month) => first <= (LONGEST[month - 1] ?? 31));
}

/** A name that the database of time zones has; offsets such as +01:00 are none of them. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

const fieldsOf = (schedule: string) => (MACROS[schedule.trim()] ?? schedule).trim().split(/\s+/);

/** Minutes, hours, days, months and weekdays; null for one that is not understood. */
function valuesOf(fields: readonly string[]): readonly (Set<number> | null)[] {
  if (fields.length !== 5) return [null];
  return [
    values(fields[0], 0, 59),
    values(fields[1], 0, 23),
    values(fields[2], 1, 31),
    values(fields[3], 1, 12, MONTHS, 1),
    values(fields[4], 0, 7, WEEKDAYS, 0),
  ];
}

const isAny = (field = '') => field === '*' || field === '?';

/** The values of a field, in order; null where it is not understood. */
function values(
  field = '',
  least: number,
  most: number,
  names: readonly string[] = [],
  first = 0,
): Set<number> | null {
  const found = new Set<number>();
  const number = (text: string) => {
    const at = names.indexOf(text.toLowerCase());
    return at >= 0 ? at + first : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  };
  for (const part of field.split(',')) {
    const [range = '', every = '1'] = part.split('/');
    const [from = '', to] = range.split('-');
    const low = isAny(range) ? least : number(from);
    const high = isAny(range) || (to === undefined && part.includes('/')) ? most : number(to ?? from);
    const step = /^\d{1,2}$/.test(every) ? Number(every) : 0;
    if (!(low >= least && high <= most && low <= high && step > 0)) return null;
    for (let value = low; value <= high; value += step) found.add(value);
  }
  return new Set([...found].sort((a, b) => a - b));
}
