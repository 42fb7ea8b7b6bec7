import { isFields, type ObjectFields, own } from './fields.ts';
import type { ObjectIdentity } from './identity.ts';
import type { Objects } from './objects.ts';
import { isCauseOfPull, reasonOfEvent } from './reasons/event-words.ts';
import { VAGUE_REASONS } from './reasons/vague.ts';
import type { Ruling } from './verdict.ts';

/**
 * Gives a ruling the reason of the newest warning about its object. The verdict stays: an event may be older than the
 * state that it is compared with (F72), so it explains what is not ready and makes nothing worse or better.
 */
export function explainedByWarnings(ruling: Ruling, identity: ObjectIdentity, around: Objects): Ruling {
  if (ruling.verdict === 'ready' || typeof ruling.reason !== 'string') return ruling;
  const isOfPull = ruling.reason === 'image_pull_failed';
  if (!isOfPull && !VAGUE_REASONS.has(ruling.reason)) return ruling;
  for (const event of around.warningsAbout(identity)) {
    const [word, message] = [textOf(event, 'reason'), textOf(event, 'message') ?? textOf(event, 'note')];
    const reason = reasonOfEvent(word, message);
    if (reason !== null && (!isOfPull || isCauseOfPull(reason)))
      return { ...ruling, reason, facts: `${ruling.facts}; event ${word}: ${message}` };
  }
  return ruling;
}

function textOf(fields: ObjectFields, key: string): string | null {
  const value = isFields(fields) ? own(fields, key) : null;
  return typeof value === 'string' ? value : null;
}
