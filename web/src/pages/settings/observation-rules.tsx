import '../../styles/rows.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { AgentView, ObservationView, Page, TargetView } from '../../../../src/contract/answers/views.ts';
import { ruleSentence } from '../../../../src/contract/presentation/fleet.ts';
import { clockTime, dayBefore } from '../../../../src/contract/presentation/times.ts';
import { get, put, remove } from '../../api.ts';
import { useStream } from '../../live/live.ts';
import { ConfirmDialog, inWords } from '../../parts/confirm-dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { NotAllowed } from '../../parts/not-allowed.tsx';
import { Quiet } from '../../parts/quiet.tsx';
import { ReadFailed } from '../../parts/read-failed.tsx';
import { hasRoleAtLeast, type Session } from '../../session.ts';
import { ruleRequest } from './rule-request.ts';

const TITLE = 'Observation rules';
const KEY = ['observation rules'];

/** The rules by which workloads of other tools are observed at a target. */
export function ObservationRules({ session }: { readonly session: Session }) {
  useStream('/v1/events');
  useEffect(() => {
    document.title = `${TITLE} · Evident`;
  }, []);
  if (!hasRoleAtLeast(session, 'admin')) return <NotAllowed page={TITLE} needs="admin" session={session} />;
  return <Rules />;
}

/** The rules of clusters: only there is something that other tools deploy. */
async function read(signal: AbortSignal): Promise<readonly ObservationView[]> {
  const [targets, agents] = await Promise.all([
    get<Page<TargetView>>('/v1/targets', signal),
    get<Page<AgentView>>('/v1/agents', signal),
  ]);
  const observing = new Set(agents.items.flatMap(({ target, observeOnly }) => (observeOnly ? target : [])));
  const rules = await Promise.all(
    targets.items.map(async ({ target, runtime }) => ({
      isCluster: runtime === 'kubernetes' || observing.has(target),
      rule: await get<ObservationView>(`/v1/targets/${target}/observation`, signal),
    })),
  );
  return rules.flatMap(({ isCluster, rule }) => (isCluster || rule.namespaces !== null ? rule : []));
}

function Rules() {
  const rules = useQuery({ queryKey: KEY, queryFn: ({ signal }) => read(signal) });
  return (
    <>
      <h1>{TITLE}</h1>
      <p className="mid">
        What Argo CD, Helm or kubectl deploy at a cluster has an honest status here too, without a change
        there. A rule says which namespaces; it holds for what exists and for what comes.
      </p>
      {rules.data === undefined ? (
        rules.error === null ? (
          <Quiet>Reading the rules …</Quiet>
        ) : (
          <ReadFailed what="The list" error={rules.error} onAgain={() => void rules.refetch()} />
        )
      ) : rules.data.length === 0 ? (
        <div className="card open">
          <p>No cluster yet. This line starts an agent in one:</p>
          <pre>evident agent install --target prod | kubectl apply -f -</pre>
        </div>
      ) : (
        rules.data.map((rule) => <Rule key={rule.target} rule={rule} />)
      )}
    </>
  );
}

function Rule({ rule }: { readonly rule: ObservationView }) {
  const { target, namespaces, selector, ask, version, since, actor, absent } = rule;
  const queries = useQueryClient();
  const again = () => queries.invalidateQueries({ queryKey: KEY });
  const [isEditing, edit] = useState(false);
  const [isStopping, stop] = useState(false);
  return (
    <section className="card part rule" aria-label={`Rule of ${target}`} data-rule={target}>
      <header>
        <h2>{target}</h2>
        <p>
          Observes {ruleSentence(namespaces === null ? null : { version, namespaces, selector, ask })}.{' '}
          <span className="soft">
            {ask ? 'Its agent may send requests to the apps. ' : ''}
            {since !== null && (
              <>
                Rule {version}, by {actor ?? 'nobody'},{' '}
                <Moment at={since}>
                  {dayBefore(since, Date.now())}
                  {clockTime(since)}
                </Moment>
                .
              </>
            )}
          </span>
        </p>
      </header>
      {absent.length > 0 && (
        <p className="tone-unknown">
          Not in the cluster: {absent.map(({ namespace }) => namespace).join(', ')}.
        </p>
      )}
      {isEditing ? (
        <RuleForm
          rule={rule}
          onDone={() => {
            edit(false);
            void again();
          }}
          onLeave={() => edit(false)}
        />
      ) : (
        <p className="answers">
          <button type="button" aria-label={`Edit the rule of ${target}`} onClick={() => edit(true)}>
            Edit
          </button>
          {namespaces !== null && (
            <button type="button" aria-label={`Observe nothing at ${target}`} onClick={() => stop(true)}>
              Observe nothing
            </button>
          )}
        </p>
      )}
      {isStopping && (
        <ConfirmDialog
          question={{
            title: `Observe nothing at ${target}?`,
            yes: 'Observe nothing',
            text: `Services that only this rule found at ${target} leave the list. Nothing changes in the cluster, and their history stays.`,
            stale: null,
          }}
          mayForce
          onAnswer={async () => {
            await remove(`/v1/targets/${target}/observation`);
            await again();
          }}
          onClose={() => stop(false)}
        />
      )}
    </section>
  );
}

interface FormProps {
  readonly rule: ObservationView;
  readonly onDone: () => void;
  readonly onLeave: () => void;
}

function RuleForm({ rule, onDone, onLeave }: FormProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const { target, namespaces, selector, ask } = rule;
  const submit = async (data: FormData) => {
    const request = ruleRequest(
      String(data.get('namespaces') ?? ''),
      String(data.get('selector') ?? ''),
      data.get('ask') !== null,
    );
    try {
      await put(`/v1/targets/${target}/observation`, request);
      onDone();
    } catch (error) {
      setProblem(inWords(error as Error));
    }
  };
  return (
    <form
      className="rule-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      }}
    >
      <p>
        <label htmlFor={`${target}-namespaces`}>Namespaces, or * for all</label>
        <input
          id={`${target}-namespaces`}
          name="namespaces"
          defaultValue={(namespaces ?? ['*']).join(', ')}
          autoComplete="off"
          required
        />
      </p>
      <p>
        <label htmlFor={`${target}-selector`}>Labels, as app=web; empty for any</label>
        <input id={`${target}-selector`} name="selector" defaultValue={selector ?? ''} autoComplete="off" />
      </p>
      <p className="check">
        <label>
          <input type="checkbox" name="ask" defaultChecked={ask} /> Its agent may send requests to the apps
        </label>
      </p>
      <p className="answers">
        <button type="submit" className="primary">
          Save the rule
        </button>
        <button type="button" onClick={onLeave}>
          Leave it
        </button>
      </p>
      <p role="alert" className="tone-failed">
        {problem}
      </p>
    </form>
  );
}
