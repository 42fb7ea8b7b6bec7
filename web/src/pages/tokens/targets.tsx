import { type FormEvent, useId, useState } from 'react';
import { Link } from 'wouter';
import type { TargetView } from '../../../../src/contract/answers/views.ts';
import { RUNTIMES } from '../../../../src/contract/vocabulary.ts';
import { post, remove } from '../../api.ts';
import type { Age } from '../../live/polled.ts';
import { ConfirmDialog, inWords } from '../../parts/confirm-dialog.tsx';
import { PresenceBadge } from '../../parts/presence-badge.tsx';

interface Props {
  readonly targets: readonly TargetView[];
  readonly age: Age;
  readonly onChanged: () => void;
}

/** Targets. None has to be declared; a declared one names its runtime before its agent registers. */
export function Targets({ targets, age, onChanged }: Props) {
  const [removing, setRemoving] = useState<string | null>(null);
  return (
    <>
      {targets.length === 0 ? (
        <p className="soft">
          No target yet. One is known from its first agent or service on, or declared here.
        </p>
      ) : (
        <table className="rows">
          <caption className="visually-hidden">Targets</caption>
          <thead>
            <tr>
              <th scope="col">Target</th>
              <th scope="col">Agent</th>
              <th scope="col">Runtime</th>
              <th scope="col">Services</th>
              <th scope="col">
                <span className="visually-hidden">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {targets.map(({ target, runtime, agent, services }) => (
              <tr key={target} data-target={target}>
                <th scope="row">{target}</th>
                <td data-label="agent">
                  {agent === null ? (
                    <span className="soft">nobody speaks for it</span>
                  ) : (
                    <>
                      <PresenceBadge presence={agent.state} isOld={age.isOld}>
                        {PRESENCE[agent.state]}
                      </PresenceBadge>{' '}
                      <span className="soft">{agent.agent}</span>
                    </>
                  )}
                </td>
                <td data-label="runtime">{runtime ?? <span className="soft">not declared</span>}</td>
                <td data-label="services">
                  {services === 0 ? 'none' : <Link href={`/?target=${target}`}>{services}</Link>}
                </td>
                <td className="do">
                  <button type="button" aria-label={`Remove ${target}`} onClick={() => setRemoving(target)}>
                    Remove
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Declare onChanged={onChanged} />
      {removing !== null && (
        <ConfirmDialog
          question={{
            title: `Remove ${removing}?`,
            yes: 'Remove',
            text: 'It is taken off the list. The server refuses while anything should run there or its agent is alive.',
            stale: null,
          }}
          mayForce
          onAnswer={async () => {
            await remove(`/v1/targets/${removing}`);
            onChanged();
          }}
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  );
}

/** In the words of the targets page. */
const PRESENCE = { alive: 'heard', stale: 'silent', fenced: 'replaced' } as const;

/** Declaring a target again changes its runtime, so sending twice is safe. */
function Declare({ onChanged }: { readonly onChanged: () => void }) {
  const [problem, setProblem] = useState<string | null>(null);
  const id = useId();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    const runtime = String(data.get('runtime') ?? '');
    try {
      await post('/v1/targets', {
        target: String(data.get('target') ?? '').trim(),
        ...(runtime === '' ? {} : { runtime }),
      });
      setProblem(null);
      form.reset();
      onChanged();
    } catch (error) {
      setProblem(inWords(error as Error));
    }
  };
  return (
    <form className="make" onSubmit={submit}>
      <p>
        <label htmlFor={`${id}target`}>Target</label>
        <input
          id={`${id}target`}
          name="target"
          required
          maxLength={40}
          placeholder="eu-west"
          autoComplete="off"
        />
      </p>
      <p>
        <label htmlFor={`${id}runtime`}>Runtime</label>
        <select id={`${id}runtime`} name="runtime">
          <option value="">not declared</option>
          {RUNTIMES.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </p>
      <p className="do">
        <button type="submit">Declare target</button>
      </p>
      <p role="alert" className="tone-failed may">
        {problem}
      </p>
    </form>
  );
}
