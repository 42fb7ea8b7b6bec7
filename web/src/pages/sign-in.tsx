import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { linkProblem, signIn } from '../session.ts';

/** Signs in by a token. A one-time link, as `npm start` prints, needs no page. */
export function SignIn() {
  const queries = useQueryClient();
  const [problem, setProblem] = useState(linkProblem);
  const field = useId();
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
      <h1>
        <i aria-hidden="true" />
        Evident
      </h1>
      <p>Deployment status that can be proven.</p>
      <form onSubmit={submit}>
        <label htmlFor={field}>Token</label>
        <input id={field} name="token" type="password" autoComplete="current-password" required />
        <button type="submit" className="primary">
          Sign in
        </button>
      </form>
      <p role="alert" className="tone-failed">
        {problem}
      </p>
      <p className="soft">
        Or run <code>evident open</code>, which makes a link that signs a browser in once. The server keeps
        its first token in <code>admin-token</code> in its data directory.
      </p>
    </main>
  );
}
