import '../../../styles/configuration.css';
import { type FormEvent, useId, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { isManagedElsewhere } from '../../../../../src/contract/actions.ts';
import type { ActionAnswer, ServiceView } from '../../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../../src/contract/claim.ts';
import { looksSecret } from '../../../../../src/contract/presentation/looks-secret.ts';
import type { WorkloadView } from '../../../../../src/contract/presentation/workload.ts';
import { newKey, post } from '../../../api.ts';
import { addClaims } from '../../../live/live.ts';
import { inWords } from '../../../parts/confirm-dialog.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useWholeRevision } from '../failure.ts';
import { useQueryParameter } from '../query-parameter.ts';
import { ChangeTable } from '../revisions/change-table.tsx';
import { tabAddress } from '../tabs.ts';
import { DeclaredThere } from './declared-there.tsx';
import { type ConfigurationDraft, changeOf, type DraftVariable, draftOf } from './draft.ts';
import { FixedFields } from './fixed-fields.tsx';

interface Props {
  readonly service: string;
  readonly claim: Claim;
  readonly spec: ServiceView['spec'];
  /** The object of a cluster that it stands for, if it does: that has a configuration of its own, and no spec here. */
  readonly workload: WorkloadView | null;
  readonly mayAct: boolean;
  /** A past instant is shown: then the configuration is that of the revision that was wanted, and nothing changes it. */
  readonly isPast: boolean;
}

/** The configuration of a service: edited, compared, and deployed as a new revision. */
export function Configuration({ service, claim, spec, workload, mayAct, isPast }: Props) {
  // The safe step of a page whose log calls variables missing leads here with their names.
  const [missing] = useQueryParameter('set');
  const [draft, setDraft] = useState<ConfigurationDraft>(() => draftOf(spec, missing?.split(',')));
  const [review, setReview] = useState<ActionAnswer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [, navigate] = useLocation();
  const key = useRef(newKey());
  const field = useId();
  const change = changeOf(spec, draft);
  const path = `/v1/services/${service}/configuration`;
  const edit = (next: ConfigurationDraft) => {
    setDraft(next);
    setReview(null);
    setProblem(null);
    key.current = newKey();
  };
  const send = async (how: 'review' | 'deploy') => {
    setBusy(true);
    setProblem(null);
    try {
      if (how === 'review') setReview(await post<ActionAnswer>(`${path}?dryRun=true`, change));
      else {
        const { claim: after } = await post<ActionAnswer>(path, change, key.current);
        addClaims([after]);
        navigate(tabAddress(service, 'overview'));
      }
    } catch (error) {
      setProblem(inWords(error as Error));
    }
    setBusy(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send(review === null ? 'review' : 'deploy');
  };
  const then = useWholeRevision(service, isPast ? claim.desired.revision : null);
  const shown = isPast ? then?.spec : spec;
  if (workload !== null)
    return (
      <DeclaredThere
        workload={workload}
        past={isPast ? { revision: claim.desired.revision, images: then?.provenance?.images ?? null } : null}
      />
    );
  if (isPast || !mayAct || isManagedElsewhere(claim.actions))
    return (
      <section className="card" aria-label="Configuration">
        <h2>Configuration</h2>
        <p className="soft">{whyFixed(isPast, mayAct, claim.desired.revision)}</p>
        {shown !== undefined && <FixedFields spec={shown} isWhole />}
      </section>
    );
  return (
    <div className="configuring">
      <form className="card configuration" aria-label="Configuration" onSubmit={submit}>
        <h2>Configuration</h2>
        <p className="soft">
          Saved as a new revision with the same artifact. You see what it changes before it is deployed.
        </p>
        <p className="replicas">
          <label htmlFor={field}>Copies</label>
          <input
            id={field}
            type="number"
            min={0}
            max={10_000}
            required
            value={draft.replicas}
            onChange={(e) => edit({ ...draft, replicas: e.target.value })}
          />
        </p>
        <fieldset>
          <legend>Environment</legend>
          {draft.variables.map((variable) => (
            <VariableRow
              key={variable.key}
              variable={variable}
              onChange={(next) =>
                edit({ ...draft, variables: draft.variables.map((one) => (one === variable ? next : one)) })
              }
              onRemove={() =>
                edit({ ...draft, variables: draft.variables.filter((one) => one !== variable) })
              }
            />
          ))}
          <button type="button" onClick={() => edit({ ...draft, variables: withOneMore(draft.variables) })}>
            Add a variable
          </button>
        </fieldset>
        {review !== null && (
          <section aria-label="What this changes" className="review">
            <h3>What r{review.revision} changes</h3>
            <ChangeTable
              changes={review.changes ?? []}
              before={`r${claim.desired.revision}`}
              after={`r${review.revision}`}
            />
          </section>
        )}
        <p role="alert" className="tone-failed">
          {problem}
        </p>
        <p className="answers">
          <button type="submit" className="primary" disabled={isBusy || change === null}>
            {review === null ? 'Show what it changes' : `Deploy r${review.revision}`}
          </button>
          {change !== null && (
            <button type="button" disabled={isBusy} onClick={() => edit(draftOf(spec))}>
              Discard
            </button>
          )}
          <Link href={`${tabAddress(service, 'revisions')}`}>Earlier configurations</Link>
        </p>
      </form>
      <FixedFields spec={spec} isWhole={false} />
    </div>
  );
}

function whyFixed(isPast: boolean, mayAct: boolean, revision: number): string {
  if (isPast)
    return `This is what r${revision} asked for. The past cannot be changed: go back to now to edit it.`;
  return mayAct ? 'The tool that deploys it configures it.' : 'Your token may read it, and not change it.';
}

const withOneMore = (variables: readonly DraftVariable[]): readonly DraftVariable[] => [
  ...variables,
  {
    key: Math.max(0, ...variables.map(({ key }) => key)) + 1,
    ...{ name: '', value: '', isSecret: false, was: null },
  },
];

interface VariableRowProps {
  readonly variable: DraftVariable;
  readonly onChange: (next: DraftVariable) => void;
  readonly onRemove: () => void;
}

function VariableRow({ variable, onChange, onRemove }: VariableRowProps) {
  const { name, value, isSecret, was } = variable;
  const label = name === '' ? 'new variable' : name;
  const looksLikeSecret = !isSecret && looksSecret(name, value);
  return (
    <p className="variable">
      <input
        className="mono"
        aria-label={`Name of ${label}`}
        placeholder="NAME"
        // biome-ignore lint/a11y/noAutofocus: somebody has just asked for a new line
        autoFocus={was === null && name === ''}
        pattern="[A-Za-z_][A-Za-z0-9_]{0,254}"
        title="Letters, digits and _, not beginning with a digit"
        value={name}
        onChange={(e) => onChange({ ...variable, name: e.target.value })}
      />
      <input
        className="mono"
        aria-label={`Value of ${label}`}
        type={isSecret || looksLikeSecret ? 'password' : 'text'}
        autoComplete="off"
        // biome-ignore lint/a11y/noAutofocus: somebody has come to set it
        autoFocus={was === null && name !== '' && value === ''}
        placeholder={
          !isSecret ? 'value' : was === null ? 'a secret' : 'a secret is set; type a new one to replace it'
        }
        value={value}
        onChange={(e) => onChange({ ...variable, value: e.target.value })}
      />
      <label>
        <input
          type="checkbox"
          checked={isSecret}
          aria-label={`${label} is a secret`}
          onChange={(e) => onChange({ ...variable, isSecret: e.target.checked })}
        />{' '}
        secret
      </label>
      <button type="button" className="plain" aria-label={`Remove ${label}`} onClick={onRemove}>
        <Icon name="close" />
      </button>
      {looksLikeSecret && (
        <span className="soft hint">Looks like a secret: check “secret”, and nobody reads it again.</span>
      )}
    </p>
  );
}
