import '../../styles/rows.css';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Page } from '../../../../src/contract/answers/views.ts';
import type { NewWebhookView, WebhookView } from '../../../../src/contract/answers/webhooks.ts';
import { get } from '../../api.ts';
import { useStream } from '../../live/live.ts';
import { useAge, usePolled } from '../../live/polled.ts';
import { BrokenItems } from '../../parts/broken-items.tsx';
import { NotAllowed } from '../../parts/not-allowed.tsx';
import { OutdatedNotice } from '../../parts/outdated-notice.tsx';
import { Quiet } from '../../parts/quiet.tsx';
import { ReadFailed } from '../../parts/read-failed.tsx';
import { hasRoleAtLeast, type Session } from '../../session.ts';
import { AddWebhook } from './webhooks/add-webhook.tsx';
import { OneWebhook } from './webhooks/one-webhook.tsx';

const TITLE = 'Webhooks';

/** Receivers outside of the platform, what each is told, and what came of it. */
export function Webhooks({ session }: { readonly session: Session }) {
  useStream('/v1/events');
  useEffect(() => {
    document.title = `${TITLE} · Evident`;
  }, []);
  if (!hasRoleAtLeast(session, 'admin')) return <NotAllowed page={TITLE} needs="admin" session={session} />;
  return <Reading />;
}

function Reading() {
  const list = usePolled('webhooks', (signal) => get<Page<WebhookView>>('/v1/webhooks', signal));
  const queries = useQueryClient();
  const again = () => void queries.invalidateQueries();
  const [made, setMade] = useState<NewWebhookView | null>(null);
  return (
    <>
      <h1>{TITLE}</h1>
      <p className="mid">
        Others learn here what Evident knows: a chat, a pager, a program of yours. What is sent is signed,
        tried again for four days, and sent in the order of each service.
      </p>
      {made !== null && (
        <section className="card part once" aria-label="The new secret">
          <p>This is the secret of the new webhook. The receiver verifies by it; it is not shown again.</p>
          <pre>{made.secret}</pre>
        </section>
      )}
      {list.data !== undefined ? (
        <Listed
          list={list.data.data}
          requestedAt={list.data.requestedAt}
          error={list.error}
          onChanged={again}
        />
      ) : list.error !== null ? (
        <ReadFailed what="The list" error={list.error} onAgain={() => void list.refetch()} />
      ) : (
        <Quiet>Reading webhooks …</Quiet>
      )}
      <section className="card part" aria-label="Add a webhook">
        <AddWebhook
          onAdded={(webhook) => {
            setMade(webhook);
            again();
          }}
        />
      </section>
    </>
  );
}

interface ListedWebhooksProps {
  readonly list: Page<WebhookView>;
  readonly requestedAt: number;
  readonly error: Error | null;
  readonly onChanged: () => void;
}

function Listed({ list, requestedAt, error, onChanged }: ListedWebhooksProps) {
  const age = useAge(requestedAt);
  return (
    <>
      <OutdatedNotice age={age} error={error} />
      <BrokenItems names={list.unreadable ?? []} />
      {list.items.length === 0 && <Quiet>Nobody is told yet.</Quiet>}
      {list.items.map((webhook) => (
        <OneWebhook key={webhook.id} webhook={webhook} onChanged={onChanged} />
      ))}
    </>
  );
}
