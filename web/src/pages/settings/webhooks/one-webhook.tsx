import { useState } from 'react';
import type { WebhookView } from '../../../../../src/contract/answers/webhooks.ts';
import { post, remove } from '../../../api.ts';
import { ConfirmDialog, inWords } from '../../../parts/confirm-dialog.tsx';
import { Deliveries } from './deliveries.tsx';
import { EVENT_WORDS, FORMAT_WORDS } from './event-words.ts';

interface Props {
  readonly webhook: WebhookView;
  readonly onChanged: () => void;
}

export function OneWebhook({ webhook, onChanged }: Props) {
  const { id, url, events, format, filter, waiting, dead, endedAt } = webhook;
  const [isRemoving, setRemoving] = useState(false);
  const [said, setSaid] = useState<string | null>(null);
  const test = () =>
    post(`/v1/webhooks/${id}/test`)
      .then(() => setSaid('A test is on its way. It is the first of the deliveries below.'))
      .catch((error: Error) => setSaid(inWords(error)))
      .finally(onChanged);
  return (
    <section className="card part" aria-label={`Webhook to ${url}`} data-webhook={id}>
      <header>
        <h2>{url}</h2>
        <p>
          {FORMAT_WORDS[format]}: {events.map((event) => EVENT_WORDS[event]).join(', ')}
          {filter.target !== undefined && ` at ${filter.target}`}
          {filter.service !== undefined && ` of ${filter.service}`}.
        </p>
        <p className={dead > 0 || endedAt !== null ? 'tone-failed' : 'soft'}>{standing(webhook)}</p>
      </header>
      <Deliveries webhook={id} waiting={waiting} onChanged={onChanged} />
      <p className="answers">
        {endedAt === null && (
          <button type="button" aria-label={`Test ${url}`} onClick={() => void test()}>
            Test
          </button>
        )}
        <button type="button" aria-label={`Remove ${url}`} onClick={() => setRemoving(true)}>
          Remove
        </button>
      </p>
      <p role="status" className="soft">
        {said}
      </p>
      {isRemoving && (
        <ConfirmDialog
          question={{
            title: `Remove the webhook to ${url}?`,
            yes: 'Remove',
            text: 'Nothing more is sent there, what waits is dropped, and its secret is forgotten.',
            stale: null,
          }}
          mayForce
          onAnswer={async () => {
            await remove(`/v1/webhooks/${id}`);
            onChanged();
          }}
          onClose={() => setRemoving(false)}
        />
      )}
    </section>
  );
}

function standing({ endedBecause, endedAt, waiting, dead }: WebhookView): string {
  if (endedAt !== null)
    return endedBecause === 'gone'
      ? 'It has ended: the receiver answered that it is gone (410).'
      : 'It has ended.';
  const parts = [
    dead > 0 ? `${dead} given up after ten tries` : '',
    waiting > 0 ? `${waiting} still tried` : '',
  ].filter(Boolean);
  return parts.length === 0 ? 'Everything was delivered.' : `${parts.join(', ')}.`;
}
