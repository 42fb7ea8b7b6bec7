/** The parts of a service's page, each with an address of its own. */
export const TABS = ['overview', 'evidence', 'revisions', 'logs', 'configuration'] as const;
export type Tab = (typeof TABS)[number];

export const isTab = (text: string): text is Tab => (TABS as readonly string[]).includes(text);

/** The address of a part of a service's page; the instant that is shown stays. */
export function tabAddress(service: string, tab: Tab, at: string | null = null): string {
  const past = at === null ? '' : `?at=${at}`;
  return `/services/${service}${tab === 'overview' ? '' : `/${tab}`}${past}`;
}
