import { type FormEvent, useId, useRef, useState } from 'react';
import type { NewWebhookView } from '../../../../../src/contract/answers/webhooks.ts';
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '../../../../../src/contract/vocabulary.ts';
import { newKey, post } from '../../../api.ts';
import { inWords } from '../../../parts/confirm-dialog.tsx';
import { EVENT_WORDS, FORMAT_WORDS } from './event-words.ts';

const USUAL: readonly string[] = ['settled', 'unknown', 'recovered'];

interface Props {
  readonly onAdded: (webhook: NewWebhookView) => void;
}

/** Adds a webhook. After no answer the same request may be sent again: it adds no second one. */
export function AddWebhook({ onAdded }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const key = useRef(newKey());
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const text = (name: string) => String(data.get(name) ?? '').trim();
    const target = text('target');
    setBusy(true);
    setProblem(null);
    try {
      const request = {
        ...{ url: text('url'), format: text('format'), events: data.getAll('event') },
        filter: target === '' ? {} : { target },
      };
      onAdded(await post<NewWebhookView>('/v1/webhooks', request, key.current));
      key.current = newKey();
      form.current?.reset();
    } catch (error) {
      setProblem(inWords(error as Error));
    }
    setBusy(false);
  };
  return (
    <form
      ref={form}
      className="make"
      onSubmit={submit}
      onChange={() => {
        key.current = newKey();
      }}
    >
      <p className="may">
        <label htmlFor={`${id}url`}>Address</label>
        <input id={`${id}url`} name="url" placeholder="https://…" autoComplete="off" required />
      </p>
      <p>
        <label htmlFor={`${id}format`}>Format</label>
        <select id={`${id}format`} name="format">
          {WEBHOOK_FORMATS.map((name) => (
            <option key={name} value={name}>
              {FORMAT_WORDS[name]}
            </option>
          ))}
        </select>
      </p>
      <p>
        <label htmlFor={`${id}target`}>Target</label>
        <input id={`${id}target`} name="target" placeholder="* (every)" autoComplete="off" />
      </p>
      <fieldset className="may checks">
        <legend>It is told of</legend>
        {WEBHOOK_EVENTS.map((name) => (
          <label key={name}>
            <input type="checkbox" name="event" value={name} defaultChecked={USUAL.includes(name)} />{' '}
            {EVENT_WORDS[name]}
          </label>
        ))}
      </fieldset>
      <p className="do">
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? 'Asking …' : 'Add webhook'}
        </button>
      </p>
      <p role="alert" className="tone-failed may">
        {problem}
      </p>
    </form>
  );
}
