import '../../styles/rows.css';
import { useEffect } from 'react';
import { Link } from 'wouter';
import type { Page, TokenView } from '../../../../src/contract/answers/views.ts';
import { MAY } from '../../../../src/contract/presentation/tokens.ts';
import { get } from '../../api.ts';
import { useStream } from '../../live/live.ts';
import { type Age, useAge, usePolled } from '../../live/polled.ts';
import { BrokenItems } from '../../parts/broken-items.tsx';
import { NotAllowed } from '../../parts/not-allowed.tsx';
import { OutdatedNotice } from '../../parts/outdated-notice.tsx';
import { Quiet } from '../../parts/quiet.tsx';
import { ReadFailed } from '../../parts/read-failed.tsx';
import { Since } from '../../parts/since.tsx';
import { hasRoleAtLeast, type Session } from '../../session.ts';
import { type Person, peopleOf } from './people.ts';

const TITLE = 'People';

/** The people who can sign in. There are no accounts: a person is a name that tokens carry. */
export function People({ session }: { readonly session: Session }) {
  useStream('/v1/events');
  useEffect(() => {
    document.title = `${TITLE} · Evident`;
  }, []);
  if (!hasRoleAtLeast(session, 'admin')) return <NotAllowed page={TITLE} needs="admin" session={session} />;
  return <Reading session={session} />;
}

function Reading({ session }: { readonly session: Session }) {
  const list = usePolled('people', (signal) => get<Page<TokenView>>('/v1/tokens', signal));
  return (
    <>
      <h1>{TITLE}</h1>
      <p className="soft">
        Whoever holds a token for people, by the name on it. <Link href="/settings/tokens">Make a token</Link>
      </p>
      {list.data !== undefined ? (
        <Listed
          tokens={list.data.data}
          requestedAt={list.data.requestedAt}
          error={list.error}
          session={session}
        />
      ) : list.error !== null ? (
        <ReadFailed what="The list" error={list.error} onAgain={() => void list.refetch()} />
      ) : (
        <Quiet>Reading people …</Quiet>
      )}
    </>
  );
}

interface ListedProps {
  readonly tokens: Page<TokenView>;
  readonly requestedAt: number;
  readonly error: Error | null;
  readonly session: Session;
}

function Listed({ tokens, requestedAt, error, session }: ListedProps) {
  const age = useAge(requestedAt);
  const { people, ended } = peopleOf(tokens.items, age.serverNow ?? 0);
  return (
    <>
      <OutdatedNotice age={age} error={error} />
      <BrokenItems names={tokens.unreadable ?? []} />
      <section className="card part" aria-label={TITLE}>
        <table className="rows">
          <caption className="visually-hidden">{TITLE}</caption>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Role</th>
              <th scope="col">Bound to</th>
              <th scope="col">Tokens</th>
              <th scope="col">Last seen</th>
              <th scope="col">Deployed</th>
            </tr>
          </thead>
          <tbody>
            {people.map((person) => (
              <PersonRow key={person.name} person={person} age={age} isSelf={person.name === session.name} />
            ))}
          </tbody>
        </table>
        {ended > 0 && (
          <p className="soft">
            {ended} more {ended === 1 ? 'has' : 'have'} no token that is still valid.
          </p>
        )}
      </section>
    </>
  );
}

interface PersonProps {
  readonly person: Person;
  readonly age: Age;
  readonly isSelf: boolean;
}

function PersonRow({ person, age, isSelf }: PersonProps) {
  const { name, role, bindings, tokens, lastUsedAt } = person;
  return (
    <tr data-person={name}>
      <th scope="row">
        {name} {isSelf && <span className="soft">you</span>}
      </th>
      <td data-label="role" title={`It ${MAY[role]}.`}>
        {role}
      </td>
      <td data-label="bound to">{bindings.join('; ')}</td>
      <td data-label="tokens">{tokens}</td>
      <td data-label="last seen">
        <Since at={lastUsedAt} age={age} isRough />
      </td>
      <td data-label="deployed">
        <Link href={`/?by=${encodeURIComponent(name)}`} aria-label={`Services that ${name} deployed`}>
          Services
        </Link>
      </td>
    </tr>
  );
}
