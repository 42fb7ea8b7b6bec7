import { longSpan } from '../../contract/presentation/times.ts';
import type { ToldEvent } from '../../contract/webhook.ts';

/** A message for people: a line that says it, and more where there is more to say. */
interface MessageWords {
  readonly title: string;
  readonly body: string;
  /** Whether somebody has to look at it. */
  readonly tone: 'good' | 'bad' | 'unsure' | 'neutral';
}

const BAD = new Set(['failed', 'degraded']);
const GOOD = new Set(['running', 'stopped']);

export function messageWords(told: ToldEvent): MessageWords {
  switch (told.event) {
    case 'transition':
      return {
        title: `${told.service}: ${told.from === null ? '' : `${spoken(told.from)} → `}${spoken(told.to)}`,
        body: sentencesOf(told.claim?.message),
        tone: toneOf(told.to),
      };
    case 'settled':
      return {
        title: `${told.service} r${told.revision} ${spoken(told.outcome)}`,
        body: sentencesOf(told.claim?.message),
        tone: told.outcome === 'succeeded' ? 'good' : told.outcome === 'failed' ? 'bad' : 'neutral',
      };
    case 'unknown':
      return {
        title: `${told.target}: ${countOf(told.services)} not known for ${spanOf(told.since, told.at)}`,
        body: [told.why, listOf(told.named, told.services)].filter(Boolean).join('\n'),
        tone: 'unsure',
      };
    case 'recovered':
      return {
        title: `${told.target}: nothing is unknown any more`,
        body: `${countOf(told.services)} had not been known for ${spanOf(told.since, told.until)}, since ${spokenInstant(told.since)}.`,
        tone: 'good',
      };
    case 'alarm':
      return {
        title: `Alarm: ${told.code}${told.service === null ? '' : ` at ${told.service}`}`,
        body: 'This should never have happened. The evidence of it is in the ledger.',
        tone: 'bad',
      };
    case 'test':
      return {
        title: 'This is a test',
        body: `${told.by} asked for it. Nothing has happened.`,
        tone: 'neutral',
      };
  }
}

const spoken = (word: string) => word.replaceAll('_', ' ');
const countOf = (services: number) => (services === 1 ? '1 service' : `${services} services`);

function toneOf(state: string): MessageWords['tone'] {
  if (state === 'unknown') return 'unsure';
  return BAD.has(state) ? 'bad' : GOOD.has(state) ? 'good' : 'neutral';
}

const sentencesOf = (message: { readonly title: string; readonly body: string } | undefined) =>
  message === undefined ? '' : `${message.title}\n${message.body}`.trim();

const spanOf = (from: string, to: string) => longSpan(Date.parse(to) - Date.parse(from));
/** Everybody in a chat has another zone. */
const spokenInstant = (at: string) => `${at.slice(0, 19).replace('T', ' ')} UTC`;

function listOf(named: readonly string[], services: number): string {
  const more = services - named.length;
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
