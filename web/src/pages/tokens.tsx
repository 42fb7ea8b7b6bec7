import '../styles/rows.css';
import '../styles/tokens.css';
import { useEffect, useState } from 'react';
import type { NewToken, Page, TargetView, TokenView } from '../../../src/contract/answers/views.ts';
import { get } from '../api.ts';
import { useStream } from '../live/live.ts';
import { useAge, usePolled } from '../live/polled.ts';
import { BrokenItems } from '../parts/broken-items.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { OutdatedNotice } from '../parts/outdated-notice.tsx';
import { Quiet } from '../parts/quiet.tsx';
import { ReadFailed } from '../parts/read-failed.tsx';
import { isAtLeast, type Session } from '../session.ts';
import { MakeToken } from './tokens/make-token.tsx';
import { ShownOnce } from './tokens/shown-once.tsx';
import { Targets } from './tokens/targets.tsx';
import { TokenList } from './tokens/token-list.tsx';

const TITLE = 'Tokens and targets';

/** Tokens and targets: who may do what, and where services can run. */
export function Tokens({ session }: { readonly session: Session }) {
  useStream('/v1/events');
  useEffect(() => {
    document.title = `${TITLE} · Evident`;
  }, []);
  if (!isAtLeast(session, 'admin')) return <NotAllowed page={TITLE} needs="admin" session={session} />;
  return <Reading session={session} />;
}

interface Held {
  readonly tokens: readonly TokenView[];
  readonly targets: readonly TargetView[];
  /** Ids of recorded tokens that cannot be read. */
  readonly unreadable: readonly string[];
}

async function read(signal: AbortSignal): Promise<Held> {
  const [tokens, targets] = await Promise.all([
    get<Page<TokenView>>('/v1/tokens', signal),
    get<Page<TargetView>>('/v1/targets', signal),
  ]);
  return { tokens: tokens.items, targets: targets.items, unreadable: tokens.unreadable ?? [] };
}

function Reading({ session }: { readonly session: Session }) {
  const held = usePolled('tokens and targets', read);
  const again = () => void held.refetch();
  return (
    <>
      <h1>{TITLE}</h1>
      <p className="soft">Who may do what, and where things can run.</p>
      {held.data !== undefined ? (
        <Whole
          held={held.data.data}
          askedAt={held.data.requestedAt}
          error={held.error}
          session={session}
          onChanged={again}
        />
      ) : held.error !== null ? (
        <ReadFailed what="The list" error={held.error} onAgain={again} />
      ) : (
        <Quiet>Reading tokens and targets …</Quiet>
      )}
    </>
  );
}

interface WholeProps {
  readonly held: Held;
  readonly askedAt: number;
  readonly error: Error | null;
  readonly session: Session;
  readonly onChanged: () => void;
}

function Whole({ held, askedAt, error, session, onChanged }: WholeProps) {
  const age = useAge(askedAt);
  const [made, setMade] = useState<NewToken | null>(null);
  return (
    <>
      <OutdatedNotice age={age} error={error} />
      <BrokenItems names={held.unreadable} />
      <section className="card part" aria-label="A new token">
        <h2>Make a token</h2>
        <MakeToken
          targets={held.targets.map(({ target }) => target)}
          onMade={(token) => {
            setMade(token);
            onChanged();
          }}
        />
      </section>
      {made !== null && <ShownOnce key={made.id} made={made} onKept={() => setMade(null)} />}
      <section className="card part" aria-label="Tokens">
        <h2>Tokens</h2>
        <TokenList tokens={held.tokens} age={age} session={session} onChanged={onChanged} />
      </section>
      <section className="card part" aria-label="Targets">
        <h2>Targets</h2>
        <Targets targets={held.targets} age={age} onChanged={onChanged} />
      </section>
    </>
  );
}
