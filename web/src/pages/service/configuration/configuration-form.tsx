import { type FormEvent, useId } from 'react';
import { Link } from 'wouter';
import type { ActionAnswer, ServiceView } from '../../../../../src/contract/answers/views.ts';
import { ChangeTable } from '../revisions/change-table.tsx';
import { tabAddress } from '../tabs.ts';
import { type ConfigurationDraft, changeOf, type DraftVariable, draftOf } from './draft.ts';
import { FixedFields } from './fixed-fields.tsx';
import { VariableRow } from './variable-row.tsx';

interface Props {
  readonly service: string;
  readonly spec: ServiceView['spec'];
  /** The revision that has this configuration. */
  readonly revision: number;
  readonly draft: ConfigurationDraft;
  /** The next revision, once somebody asked what the draft changes; null before that. */
  readonly review: Pick<ActionAnswer, 'revision' | 'changes'> | null;
  readonly problem: string | null;
  readonly isBusy: boolean;
  readonly onEdit: (draft: ConfigurationDraft) => void;
  readonly onSubmit: () => void;
}

/** Copies and environment as they are edited, and what that changes before it is deployed. */
export function ConfigurationForm(props: Props) {
  const { service, spec, revision, draft, review, problem, isBusy, onEdit, onSubmit } = props;
  const field = useId();
  const isChanged = changeOf(spec, draft) !== null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
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
            onChange={(e) => onEdit({ ...draft, replicas: e.target.value })}
          />
        </p>
        <fieldset>
          <legend>Environment</legend>
          {draft.variables.map((variable) => (
            <VariableRow
              key={variable.key}
              variable={variable}
              onChange={(next) =>
                onEdit({ ...draft, variables: draft.variables.map((one) => (one === variable ? next : one)) })
              }
              onRemove={() =>
                onEdit({ ...draft, variables: draft.variables.filter((one) => one !== variable) })
              }
            />
          ))}
          <button type="button" onClick={() => onEdit({ ...draft, variables: withOneMore(draft.variables) })}>
            Add a variable
          </button>
        </fieldset>
        {review !== null && (
          <section aria-label="What this changes" className="review">
            <h3>What r{review.revision} changes</h3>
            <ChangeTable
              changes={review.changes ?? []}
              before={`r${revision}`}
              after={`r${review.revision}`}
            />
          </section>
        )}
        <p role="alert" className="tone-failed">
          {problem}
        </p>
        <p className="answers">
          <button type="submit" className="primary" disabled={isBusy || !isChanged}>
            {review === null ? 'Show what it changes' : `Deploy r${review.revision}`}
          </button>
          {isChanged && (
            <button type="button" disabled={isBusy} onClick={() => onEdit(draftOf(spec))}>
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

const withOneMore = (variables: readonly DraftVariable[]): readonly DraftVariable[] => [
  ...variables,
  {
    key: Math.max(0, ...variables.map(({ key }) => key)) + 1,
    ...{ name: '', value: '', isSecret: false, was: null },
  },
];
