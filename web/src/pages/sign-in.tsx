import '../styles/sign-in.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { get } from '../api.ts';
import { StateMark } from '../parts/state-mark.tsx';
import { linkProblem, signIn } from '../session.ts';

/** Signs in by a token. A one-time link, as `npm start` prints, needs no page. */
export function SignIn() {
  const queries = useQueryClient();
  const [problem, setProblem] = useState(linkProblem);
  const [isShown, show] = useState(false);
  const field = useId();
  const help = useId();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget).get('token') ?? '').trim();
    try {
      queries.setQueryData(['session'], await signIn({ token }));
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <main className="sign-in">
      <div className="sign-in-form">
        <p className="brand">
          <i aria-hidden="true" />
          Evident
        </p>
        <h1>Sign in to Evident</h1>
        <form onSubmit={submit}>
          <label htmlFor={field}>Token</label>
          <span className="token-field">
            <input
              id={field}
              name="token"
              type={isShown ? 'text' : 'password'}
              autoComplete="current-password"
              aria-describedby={help}
              required
            />
            <button type="button" className="plain" aria-pressed={isShown} onClick={() => show(!isShown)}>
              {isShown ? 'Hide' : 'Show'}
            </button>
          </span>
          <p id={help} className="soft">
            Made by an admin, or with <code>evident tokens create</code>. The browser keeps a session, never
            the token.
          </p>
          <button type="submit" className="primary">
            Sign in
          </button>
        </form>
        <p role="alert" className="tone-failed">
          {problem}
        </p>
        <p className="or soft">or</p>
        <p>
          On the server’s machine, <code>evident open</code> makes a link that signs a browser in once. The
          server keeps its first token in <code>admin-token</code> in its data directory.
        </p>
        <ServerAnswers />
      </div>
      <div className="sign-in-ground" aria-hidden="true">
        <ul>
          <li>
            <i className="swatch-proven" /> Solid is proven.
          </li>
          <li>
            <i className="swatch-unknown" /> Hatched is not known now.
          </li>
          <li>
            <i className="swatch-refused" /> Hollow was refused.
          </li>
        </ul>
      </div>
    </main>
  );
}

const AGAIN_MS = 10_000;

/** The page may come from a cache: it says whether the server itself answers. */
function ServerAnswers() {
  const ready = useQuery({
    queryKey: ['ready'],
    queryFn: ({ signal }) => get<unknown>('/readyz', signal),
    refetchInterval: AGAIN_MS,
    retry: false,
  });
  if (ready.isPending) return <p className="server-answers soft">Asking the server …</p>;
  const state = ready.isError ? 'unknown' : 'running';
  return (
    <p className="server-answers">
      <i className={`tone-${state}`}>
        <StateMark state={state} />
      </i>
      {location.host} {ready.isError ? 'does not answer.' : 'answers.'}
    </p>
  );
}
