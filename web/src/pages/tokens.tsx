import '../styles/rows.css';
import { useEffect, useState } from 'react';
import type { NewTokenView, Page, TargetView, TokenView } from '../../../src/contract/answers/views.ts';
import { get } from '../api.ts';
import { useStream } from '../live/live.ts';
import { useAge, usePolled } from '../live/polled.ts';
import { BrokenItems } from '../parts/broken-items.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { OutdatedNotice } from '../parts/outdated-notice.tsx';
import { Quiet } from '../parts/quiet.tsx';
import { ReadFailed } from '../parts/read-failed.tsx';
import { hasRoleAtLeast, type Session } from '../session.ts';
import { CreateToken } from './tokens/create-token.tsx';
import { NewSecret } from './tokens/new-secret.tsx';
import { Targets } from './tokens/targets.tsx';
import { TokenList } from './tokens/token-list.tsx';

const TITLE = 'Tokens and targets';

/** Tokens and targets: who may do what, and where services can run. */
export function Tokens({ session }: { readonly session: Session }) {
  useStream('/v1/events');
  useEffect(() => {
    document.title = `${TITLE} · Evident`;
  }, []);
  if (!hasRoleAtLeast(session, 'admin')) return <NotAllowed page={TITLE} needs="admin" session={session} />;
  return <Reading session={session} />;
}

interface TokensAndTargets {
  readonly tokens: readonly TokenView[];
  readonly targets: readonly TargetView[];
  /** Ids of recorded tokens that cannot be read. */
  readonly unreadable: readonly string[];
}

async function read(signal: AbortSignal): Promise<TokensAndTargets> {
  const [tokens, targets] = await Promise.all([
    get<Page<TokenView>>('/v1/tokens', signal),
    get<Page<TargetView>>('/v1/targets', signal),
  ]);
  return { tokens: tokens.items, targets: targets.items, unreadable: tokens.unreadable ?? [] };
}

function Reading({ session }: { readonly session: Session }) {
  const lists = usePolled('tokens and targets', read);
  const again = () => void lists.refetch();
  return (
    <>
      <h1>{TITLE}</h1>
      <p className="soft">Who may do what, and where things can run.</p>
      {lists.data !== undefined ? (
        <TokensContent
          lists={lists.data.data}
          requestedAt={lists.data.requestedAt}
          error={lists.error}
          session={session}
          onChanged={again}
        />
      ) : lists.error !== null ? (
        <ReadFailed what="The list" error={lists.error} onAgain={again} />
      ) : (
        <Quiet>Reading tokens and targets …</Quiet>
      )}
    </>
  );
}

interface ContentProps {
  readonly lists: TokensAndTargets;
  readonly requestedAt: number;
  readonly error: Error | null;
  readonly session: Session;
  readonly onChanged: () => void;
}

function TokensContent({ lists, requestedAt, error, session, onChanged }: ContentProps) {
  const age = useAge(requestedAt);
  const [created, setCreated] = useState<NewTokenView | null>(null);
  return (
    <>
      <OutdatedNotice age={age} error={error} />
      <BrokenItems names={lists.unreadable} />
      <section className="card part" aria-label="A new token">
        <h2>Make a token</h2>
        <CreateToken
          targets={lists.targets.map(({ target }) => target)}
          onCreated={(token) => {
            setCreated(token);
            onChanged();
          }}
        />
      </section>
      {created !== null && <NewSecret key={created.id} created={created} onStored={() => setCreated(null)} />}
      <section className="card part" aria-label="Tokens">
        <h2>Tokens</h2>
        <TokenList tokens={lists.tokens} age={age} session={session} onChanged={onChanged} />
      </section>
      <section className="card part" aria-label="Targets">
        <h2>Targets</h2>
        <Targets targets={lists.targets} age={age} onChanged={onChanged} />
      </section>
    </>
  );
}
