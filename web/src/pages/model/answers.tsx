import { Link } from 'wouter';
import type { ModelView, StateView, StepView } from '../../../../src/contract/answers/model-view.ts';
import { QUESTIONS, sevenAnswers } from '../../../../src/contract/presentation/seven-answers.ts';
import { wordOf } from '../../../../src/contract/presentation/words.ts';
import { STATES } from '../../../../src/contract/vocabulary.ts';
import { Marked } from '../../parts/marked.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import { addressOf } from './selection.ts';

interface Props {
  readonly model: ModelView;
  readonly state: StateView;
}

/** The meaning of a state, its seven answers, and every transition into and out of it. */
export function Answers({ model, state }: Props) {
  const answers = sevenAnswers(model, state);
  const name = state.state;
  const into = model.transitions.filter(({ to }) => to === name);
  const out = model.transitions.filter(({ from }) => from === name);
  return (
    <section className="card part answers-of" aria-labelledby="answers-title">
      <h2 id="answers-title">
        <StateName name={name} />
      </h2>
      <p className="lead">
        <Marked text={state.meaning} />
      </p>
      <dl className="seven">
        {QUESTIONS.map((question) => (
          <div key={question}>
            <dt>{question}</dt>
            <dd>
              <Marked text={answers[question]} link={(word) => <StateLink model={model} name={word} />} />
            </dd>
          </div>
        ))}
      </dl>
      <Steps title="Leads to" model={model} steps={out} otherOf={({ to }) => to} />
      <Steps title="Comes from" model={model} steps={into} otherOf={({ from }) => from} />
    </section>
  );
}

function StateName({ name }: { readonly name: string }) {
  const state = STATES.find((one) => one === name);
  if (state === undefined) return name;
  return (
    <span className={`badge tone-${state}`}>
      <StateMark state={state} />
      {wordOf(state)}
    </span>
  );
}

/** Links the name of a state to its answers; prints any other name as it is. */
function StateLink({ model, name }: { readonly model: ModelView; readonly name: string }) {
  if (!model.states.some(({ state }) => state === name)) return <code>{name}</code>;
  return (
    <Link href={addressOf({ state: name, search: '' })}>
      <code>{name}</code>
    </Link>
  );
}

interface StepsProps {
  readonly title: string;
  readonly model: ModelView;
  readonly steps: readonly StepView[];
  readonly otherOf: (step: StepView) => string | null;
}

function Steps({ title, model, steps, otherOf }: StepsProps) {
  if (steps.length === 0) return null;
  return (
    <details className="steps">
      <summary>
        {title} <span className="soft">{steps.length}</span>
      </summary>
      <table className="rows">
        <caption className="visually-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">When</th>
            <th scope="col">On</th>
            <th scope="col">By</th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step) => {
            const other = otherOf(step);
            return (
              <tr key={`${step.from} ${step.to}`}>
                <th scope="row">{other === null ? 'birth' : <StateLink model={model} name={other} />}</th>
                <td>
                  <Marked text={step.when} />
                </td>
                <td data-label="on" className="mono">
                  {step.on.join(', ')}
                </td>
                <td data-label="by">{step.owner.join(', ')}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </details>
  );
}
