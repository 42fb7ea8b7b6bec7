import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { NoAnswer } from '../api.ts';

/** The question before an action: it names the service and its target. */
export interface ConfirmQuestion {
  readonly title: string;
  readonly yes: string;
  readonly text?: string;
  /** The facts below the text: what serves, what stays, where. */
  readonly facts?: readonly { readonly name: string; readonly text: string }[];
  /** The changes that the chosen value makes. */
  readonly detail?: (value: string) => ReactNode;
  readonly stale: string | null;
  readonly label?: string;
  readonly value?: string;
  readonly choices?: readonly DialogChoice[];
  readonly isNumber?: boolean;
  readonly isForce?: boolean;
  /** The action cannot be undone, so Enter alone does not confirm it. */
  readonly isGrave?: boolean;
}

interface DialogChoice {
  readonly value: string;
  readonly label: string;
  /** The button's text when this choice is selected; so are the title and the text of the question. */
  readonly yes: string;
  readonly title?: string;
  readonly text?: string;
}

interface Props {
  readonly question: ConfirmQuestion;
  readonly mayForce: boolean;
  readonly onAnswer: (value: string) => Promise<void>;
  readonly onClose: () => void;
}

export function ConfirmDialog({ question, mayForce, onAnswer, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const field = useId();
  const [value, setValue] = useState(question.value ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const leave = useRef<HTMLButtonElement>(null);
  const { isGrave = false } = question;
  useEffect(() => {
    dialog.current?.showModal();
    if (isGrave) leave.current?.focus();
  }, [isGrave]);
  const chosen = question.choices?.find((choice) => choice.value === value);
  const isForbidden = question.isForce === true && !mayForce;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await onAnswer(value);
      onClose();
    } catch (error) {
      setProblem(inWords(error as Error));
      setBusy(false);
    }
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby={title}
      onClose={onClose}
      // Closing does not take back a request that was sent.
      onCancel={(event) => isBusy && event.preventDefault()}
    >
      <form onSubmit={submit}>
        <h2 id={title} className="confirm-title">
          {chosen?.title ?? question.title}
        </h2>
        {question.stale !== null && <p className="tone-unknown">{question.stale}</p>}
        <p>{chosen?.text ?? question.text}</p>
        {question.detail?.(value)}
        {question.facts !== undefined && (
          <dl className="confirm-facts">
            {question.facts.map((fact) => (
              <div key={fact.name}>
                <dt>{fact.name}</dt>
                <dd>{fact.text}</dd>
              </div>
            ))}
          </dl>
        )}
        {question.label !== undefined && !isForbidden && (
          <p>
            <label htmlFor={field}>{question.label}</label>
            {question.choices === undefined ? (
              <input
                id={field}
                required
                value={value}
                {...(question.isNumber ? { type: 'number', min: 0, max: 100 } : { type: 'text' })}
                onChange={(e) => setValue(e.target.value)}
              />
            ) : (
              <select id={field} value={value} onChange={(e) => setValue(e.target.value)}>
                {question.choices.map((choice) => (
                  <option key={choice.value} value={choice.value}>
                    {choice.label}
                  </option>
                ))}
              </select>
            )}
          </p>
        )}
        <p role="alert" className="tone-failed">
          {problem}
        </p>
        <p className="answers">
          {!isForbidden && (
            <button type="submit" className="primary" disabled={isBusy}>
              {isBusy ? 'Asking …' : (chosen?.yes ?? question.yes)}
            </button>
          )}
          <button type="button" ref={leave} disabled={isBusy} onClick={() => dialog.current?.close()}>
            Leave it
          </button>
        </p>
      </form>
    </dialog>
  );
}

/**
 * After no answer the outcome is unknown; sending again is safe, because the server checks the state first.
 */
export const inWords = (error: Error) =>
  error instanceof NoAnswer
    ? `${error.message} Whether it was taken is not known; age at the state before you ask again.`
    : error.message;
