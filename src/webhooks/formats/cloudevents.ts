import type { ToldEvent } from '../../contract/webhook.ts';

/** The envelope of CloudEvents 1.0, as structured JSON. */
export function cloudEvent(told: ToldEvent, org: string, id: string, subject: string): object {
  const { event, at, ...data } = told;
  return {
    specversion: '1.0',
    id,
    source: `/orgs/${org}`,
    type: `dev.evident.${aboutOf(told)}.${event}`,
    subject,
    time: at,
    datacontenttype: 'application/json',
    data,
  };
}

function aboutOf(told: ToldEvent): 'service' | 'target' | 'platform' {
  if ('service' in told && told.service !== null) return 'service';
  return 'target' in told ? 'target' : 'platform';
}
