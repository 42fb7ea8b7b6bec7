import '../styles/explorer.css';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { post } from '../api.ts';
import { useStream } from '../live/live.ts';
import { Quiet } from '../parts/quiet.tsx';
import { ReadFailed } from '../parts/read-failed.tsx';
import { SCHEMA_QUERY, type SchemaView } from './explorer/schema-reading.ts';
import { Types } from './explorer/types.tsx';

const EXAMPLE = `query Services($first: Int = 10) {
  services(first: $first) {
    nodes {
      ref
      claim { state message { title } serving { revision } freshness { ageMs } }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Asks the server in GraphQL as the one who is signed in, beside the types that there are. Everything it needs is here. */
export function Explorer() {
  useStream('/v1/events');
  useEffect(() => {
    document.title = 'GraphQL · Evident';
  }, []);
  const schema = useQuery({
    queryKey: ['schema'],
    queryFn: () =>
      post<{ readonly data: { readonly __schema: SchemaView } }>('/graphql', { query: SCHEMA_QUERY }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      <h1>GraphQL</h1>
      <p className="soft">
        The calls of this API as one language, at <code>/graphql</code>. What you ask here is asked as you,
        and a mutation is carried out.
      </p>
      <div className="explorer">
        <Asking />
        {schema.data !== undefined ? (
          <Types schema={schema.data.data.__schema} />
        ) : schema.error !== null ? (
          <ReadFailed what="The schema" error={schema.error} onAgain={() => void schema.refetch()} />
        ) : (
          <Quiet>Reading the schema …</Quiet>
        )}
      </div>
    </>
  );
}

function Asking() {
  const [query, setQuery] = useState(EXAMPLE);
  const [variables, setVariables] = useState('');
  const [asked, setAsked] = useState<AskedState>({ kind: 'not_yet' });
  const ask = async () => {
    setAsked({ kind: 'asking' });
    setAsked(await answerTo(query, variables));
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void ask();
  };
  return (
    <section className="card part asking" aria-label="Ask">
      <label>
        Document
        <textarea
          rows={14}
          spellCheck={false}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={onKey}
        />
      </label>
      <label>
        Variables, as JSON
        <textarea
          rows={3}
          spellCheck={false}
          placeholder='{"first": 10}'
          value={variables}
          onChange={(event) => setVariables(event.target.value)}
          onKeyDown={onKey}
        />
      </label>
      <p>
        <button
          type="button"
          className="primary"
          disabled={asked.kind === 'asking'}
          onClick={() => void ask()}
        >
          {asked.kind === 'asking' ? 'Asking …' : 'Ask'}
        </button>{' '}
        <span className="soft">or Ctrl and Enter</span>
      </p>
      {asked.kind === 'refused' && <p role="alert">{asked.why}</p>}
      {asked.kind === 'answered' && <pre aria-live="polite">{JSON.stringify(asked.answer, null, 2)}</pre>}
    </section>
  );
}

type AskedState =
  | { readonly kind: 'not_yet' | 'asking' }
  | { readonly kind: 'answered'; readonly answer: unknown }
  | { readonly kind: 'refused'; readonly why: string };

async function answerTo(query: string, variables: string): Promise<AskedState> {
  let given: unknown;
  try {
    given = variables.trim() === '' ? undefined : JSON.parse(variables);
  } catch {
    return { kind: 'refused', why: 'The variables are no JSON.' };
  }
  try {
    return { kind: 'answered', answer: await post('/graphql', { query, variables: given }) };
  } catch (error) {
    return { kind: 'refused', why: (error as Error).message || 'The server refused this.' };
  }
}
