/** The time zone in which times of day are shown. */
export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** The city of the zone, which is short enough for the bar. */
export const CITY = ZONE.slice(ZONE.lastIndexOf('/') + 1).replaceAll('_', ' ');
