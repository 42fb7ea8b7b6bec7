import '../styles/rows.css';
import '../styles/model.css';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import type { ModelView } from '../../../src/contract/answers/model-view.ts';
import { wordOf } from '../../../src/contract/presentation/words.ts';
import type { State } from '../../../src/contract/vocabulary.ts';
import { get } from '../api.ts';
import { useStream } from '../live/live.ts';
import { Quiet } from '../parts/quiet.tsx';
import { ReadFailed } from '../parts/read-failed.tsx';
import { Answers } from './model/answers.tsx';
import { Machine } from './model/machine.tsx';
import { addressOf, useSelection } from './model/selection.ts';
import { Tables } from './model/tables.tsx';

/** Every state with its meaning and proof, from the tables that the server itself uses. */
export function Model() {
  useStream('/v1/events');
  const model = useQuery({
    queryKey: ['model'],
    queryFn: ({ signal }) => get<ModelView>('/v1/model', signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [chosen] = useSelection();
  useEffect(() => {
    document.title = `${chosen.state === null ? 'Model' : wordOf(chosen.state as State)} · Evident`;
  }, [chosen.state]);
  return (
    <>
      <h1>Model</h1>
      <p className="soft">
        What every state means, what proves it, and what may follow. The server goes by the same tables.
      </p>
      {model.data !== undefined ? (
        <ModelContent model={model.data} />
      ) : model.error !== null ? (
        <ReadFailed what="The model" error={model.error} onAgain={() => void model.refetch()} />
      ) : (
        <Quiet>Reading the model …</Quiet>
      )}
    </>
  );
}

function ModelContent({ model }: { readonly model: ModelView }) {
  const [{ state, search }, choose] = useSelection();
  const row = model.states.find((one) => one.state === state);
  return (
    <>
      <section className="card part" aria-label="States">
        <Machine model={model} chosen={state} choose={(name) => choose({ state: name })} />
        <nav className="states" aria-label="States">
          {model.states.map(({ state: name }) => (
            <Link
              key={name}
              className="chip"
              href={addressOf({ state: name, search })}
              aria-current={name === state ? 'true' : undefined}
            >
              {wordOf(name as State)}
            </Link>
          ))}
        </nav>
        <p className="visually-hidden" role="status">
          {row === undefined ? '' : `${wordOf(row.state as State)} is open; its answers follow below.`}
        </p>
      </section>
      {row !== undefined ? (
        <Answers key={row.state} model={model} state={row} />
      ) : (
        <Quiet>
          {state === null
            ? 'Pick a state to see its seven answers.'
            : `The model has no state “${state}”. Choose another.`}
        </Quiet>
      )}
      <Tables model={model} search={search} onSearch={(text) => choose({ search: text })} />
    </>
  );
}
