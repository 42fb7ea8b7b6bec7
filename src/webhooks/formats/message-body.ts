import type { WebhookFormat } from '../../contract/vocabulary.ts';
import type { ToldEvent } from '../../contract/webhook.ts';
import { toldSubject } from '../told-of.ts';
import { discordMessage, slackMessage, teamsMessage } from './chat.ts';
import { cloudEvent } from './cloudevents.ts';

interface MessageBody {
  readonly type: string;
  readonly text: string;
}

/** What is sent, equal in all tries. */
export function messageBody(format: WebhookFormat, told: ToldEvent, org: string, id: string): MessageBody {
  switch (format) {
    case 'cloudevents':
      return {
        type: 'application/cloudevents+json; charset=utf-8',
        text: JSON.stringify(cloudEvent(told, org, id, toldSubject(told))),
      };
    case 'slack':
      return json(slackMessage(told));
    case 'discord':
      return json(discordMessage(told));
    case 'teams':
      return json(teamsMessage(told));
  }
}

const json = (message: object): MessageBody => ({ type: 'application/json', text: JSON.stringify(message) });
