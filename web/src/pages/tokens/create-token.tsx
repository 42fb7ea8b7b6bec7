import { type FormEvent, useId, useRef, useState } from 'react';
import type { NewTokenView } from '../../../../src/contract/answers/views.ts';
import { MAY } from '../../../../src/contract/presentation/tokens.ts';
import { TOKEN_ROLES, type TokenRole } from '../../../../src/contract/vocabulary.ts';
import { newKey, post } from '../../api.ts';
import { inWords } from '../../parts/confirm-dialog.tsx';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const EXPIRES: readonly (readonly [words: string, ms: number | null])[] = [
  ['in an hour', HOUR_MS],
  ['in a day', DAY_MS],
  ['in 7 days', 7 * DAY_MS],
  ['in 90 days', 90 * DAY_MS],
  ['in a year', 365 * DAY_MS],
  ['never', null],
];
const LATEST = 3;

interface Props {
  readonly targets: readonly string[];
  readonly onCreated: (token: NewTokenView) => void;
}

/** Creates a token. After no answer the same request may be sent again: it creates no second one. */
export function CreateToken({ targets, onCreated }: Props) {
  const [role, setRole] = useState<TokenRole>('deployer');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const key = useRef(newKey());
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const text = (name: string) => String(data.get(name) ?? '').trim() || undefined;
    const ms = EXPIRES[Number(data.get('expires'))]?.[1] ?? undefined;
    setBusy(true);
    setProblem(null);
    try {
      const request = {
        role,
        name: text('name'),
        target: text('target'),
        service: text('service'),
        expiresInMs: ms,
      };
      onCreated(await post<NewTokenView>('/v1/tokens', request, key.current));
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
      <p>
        <label htmlFor={`${id}role`}>Role</label>
        <select
          id={`${id}role`}
          name="role"
          value={role}
          aria-describedby={`${id}may`}
          onChange={(e) => setRole(e.target.value as TokenRole)}
        >
          {TOKEN_ROLES.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </p>
      <p>
        <label htmlFor={`${id}name`}>Name</label>
        <input id={`${id}name`} name="name" maxLength={100} placeholder={`${role}-…`} autoComplete="off" />
      </p>
      <p>
        <label htmlFor={`${id}target`}>Target</label>
        <input
          id={`${id}target`}
          name="target"
          placeholder="* (every)"
          list={`${id}targets`}
          autoComplete="off"
          required={role === 'agent'}
        />
        <datalist id={`${id}targets`}>
          {targets.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </p>
      <p>
        <label htmlFor={`${id}service`}>Service pattern</label>
        <input id={`${id}service`} name="service" placeholder="* (every), web@*" autoComplete="off" />
      </p>
      <p>
        <label htmlFor={`${id}expires`}>Expires</label>
        <select id={`${id}expires`} name="expires" defaultValue={LATEST}>
          {EXPIRES.map(([words], i) => (
            <option key={words} value={i}>
              {words}
            </option>
          ))}
        </select>
      </p>
      <p className="do">
        <button type="submit" className="primary" disabled={isBusy}>
          {isBusy ? 'Asking …' : 'Make token'}
        </button>
      </p>
      <p className="soft may" id={`${id}may`}>
        A token of this role {MAY[role]}.
      </p>
      <p role="alert" className="tone-failed may">
        {problem}
      </p>
    </form>
  );
}
