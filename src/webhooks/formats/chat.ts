import type { ToldEvent } from '../../contract/webhook.ts';
import { messageWords } from './words.ts';

const COLOURS = { good: 0x2e8540, bad: 0xc62828, unsure: 0x8a8a8a, neutral: 0x3b6fb6 } as const;
const TEAMS_COLOURS = { good: 'good', bad: 'attention', unsure: 'warning', neutral: 'default' } as const;
/** Slack cuts texts of sections at 3,000 characters, Discord refuses descriptions over 4,096. */
const LONGEST = 2_900;

/** `&`, `<` and `>` are markup in Slack: a sentence with a name in it must not become a link or a call to everybody. */
const slackText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export function slackMessage(told: ToldEvent): object {
  const { title, body, tone } = messageWords(told);
  const text = slackText(`${title}${body === '' ? '' : `\n${body}`}`).slice(0, LONGEST);
  const section = {
    type: 'section',
    text: {
      type: 'mrkdwn',
      text: `*${slackText(title)}*${body === '' ? '' : `\n${slackText(body)}`}`.slice(0, LONGEST),
    },
  };
  const color = `#${COLOURS[tone].toString(16).padStart(6, '0')}`;
  return { attachments: [{ color, fallback: text, blocks: [section] }] };
}

/** Nobody is called by name, whatever a sentence has in it. */
export function discordMessage(told: ToldEvent): object {
  const { title, body, tone } = messageWords(told);
  return {
    embeds: [{ title: title.slice(0, 250), description: body.slice(0, LONGEST), color: COLOURS[tone] }],
    allowed_mentions: { parse: [] },
  };
}

export function teamsMessage(told: ToldEvent): object {
  const { title, body, tone } = messageWords(told);
  const block = (text: string, more: object) => ({ type: 'TextBlock', text, wrap: true, ...more });
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            block(title.slice(0, LONGEST), { weight: 'bolder', color: TEAMS_COLOURS[tone] }),
            ...(body === '' ? [] : [block(body.slice(0, LONGEST), {})]),
          ],
        },
      },
    ],
  };
}
