import { useEffect, useState } from 'react';
import type { SignInLinkView } from '../../../src/contract/answers/views.ts';
import { post } from '../api.ts';
import { useStream } from '../live/live.ts';
import { CopyField } from '../parts/copy-field.tsx';

const TITLE = 'Command line';

/** Signs a terminal in as the person who is signed in here, by a link that works once. */
export function CommandLine() {
  useStream('/v1/events');
  const [link, setLink] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    document.title = `${TITLE} · Evident`;
  }, []);
  const make = async () => {
    try {
      setLink((await post<SignInLinkView>('/v1/sessions/links')).link);
      setProblem(null);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <>
      <h1>{TITLE}</h1>
      <p>
        A line that signs a terminal in as you, for 12 hours. It works once, and within 15 minutes: whoever
        runs it may do all that you may.
      </p>
      {link !== null && (
        <CopyField
          key={link}
          label="Run this in the terminal"
          value={`evident login '${location.origin}/#link=${link}'`}
        />
      )}
      <button type="button" className={link === null ? 'primary' : ''} onClick={make}>
        {link === null ? 'Make the line' : 'Make another'}
      </button>
      <p role="alert" className="tone-failed">
        {problem}
      </p>
    </>
  );
}
