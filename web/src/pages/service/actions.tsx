import { useRef, useState } from 'react';
import type { ServiceAction } from '../../../../src/contract/actions.ts';
import type { ActionAnswer, RevisionView } from '../../../../src/contract/answers/views.ts';
import { commit } from '../../../../src/contract/presentation/about.ts';
import { type Button, buttonsOf, EFFECTS } from '../../../../src/contract/presentation/buttons.ts';
import { serverNowOf } from '../../../../src/contract/presentation/server-contact.ts';
import { longAgo } from '../../../../src/contract/presentation/times.ts';
import { post, remove } from '../../api.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import { addClaims } from '../../live/live.ts';
import { ConfirmDialog, type ConfirmQuestion } from '../../parts/confirm-dialog.tsx';
import { hasRoleAtLeast, type Session } from '../../session.ts';
import type { DatedClaim } from './dated-claim.ts';

interface Props {
  readonly dated: DatedClaim;
  readonly claimView: ClaimView;
  readonly revisions: readonly RevisionView[];
  readonly session: Session;
}

type ActionQuestion = Omit<ConfirmQuestion, 'stale'> & { readonly action: ServiceAction };

const LABELS: Readonly<Record<ServiceAction, string>> = {
  retry: 'Retry',
  rollback: 'Roll back',
  restart: 'Restart',
  scale: 'Scale',
  cancel: 'Cancel',
  teardown: 'Tear down',
};

const YES: Readonly<Record<ServiceAction, string>> = { ...LABELS, cancel: 'Cancel it' };

/** Shown while it is so, also over a dialog that is already open. */
const STALE = 'This page is not live: things may have changed.';

/** Buttons for the actions. A forbidden one shows why; on a page that is not live each warns first. */
export function Actions({ dated, claimView, revisions, session }: Props) {
  const [question, setQuestion] = useState<ActionQuestion | null>(null);
  const { claim, at } = dated;
  const earlier = revisions.filter((r) => hasSucceeded(r) && r.revision < claim.desired.revision);
  const buttons = buttonsOf(claim, hasRoleAtLeast(session, 'deployer'), earlier.length > 0);
  const path = `/v1/services/${claim.service}`;
  const box = useRef<HTMLDivElement>(null);
  const ask = (button: Button) => setQuestion(questionOf(button, dated, earlier));
  const close = () => {
    setQuestion(null);
    // An action may remove its own button: the keyboard focus then stays in this box.
    requestAnimationFrame(() => document.activeElement === document.body && box.current?.focus());
  };
  const act = async (action: ServiceAction, value: string) => {
    const { claim: after } = await requests[action](path, value);
    addClaims([after]);
  };
  if (at !== null) return <p className="soft">This is the past: nothing can be done here.</p>;
  return (
    <div ref={box} className="actions" tabIndex={-1}>
      {!claimView.isLive && <p className="tone-unknown">You would be acting on what was last known.</p>}
      {buttons.map((button) => (
        <ActionButton key={button.action} {...button} onAsk={() => ask(button)} />
      ))}
      {question !== null && (
        <ConfirmDialog
          question={{ ...question, stale: claimView.isLive ? null : STALE }}
          mayForce={hasRoleAtLeast(session, 'operator')}
          onAnswer={(value) => act(question.action, value)}
          onClose={close}
        />
      )}
    </div>
  );
}

function ActionButton({ action, whyNot, forcible, isNext, onAsk }: Button & { readonly onAsk: () => void }) {
  if (whyNot !== null && forcible === null)
    return (
      <button type="button" aria-disabled="true" className="why-not" data-action={action}>
        {LABELS[action]}: {whyNot}
      </button>
    );
  return (
    <button type="button" className={isNext ? 'primary' : ''} data-action={action} onClick={onAsk}>
      {LABELS[action]}
      {forcible !== null && ' …'}
    </button>
  );
}

/** Offered as the goal of a rollback. The server goes to any revision that has bytes. */
const hasSucceeded = ({ kind, attempts, replicas }: RevisionView) =>
  kind !== 'observed' && replicas > 0 && attempts.some(({ outcome }) => outcome === 'succeeded');

const requests: Readonly<Record<ServiceAction, (path: string, value: string) => Promise<ActionAnswer>>> = {
  retry: (path) => post(`${path}/retries`),
  rollback: (path, to) => post(`${path}/rollbacks`, to === '' ? {} : { to: Number(to) }),
  restart: (path) => post(`${path}/restarts`),
  scale: (path, replicas) => post(`${path}/scalings`, { replicas: Number(replicas) }),
  cancel: (path) => post(`${path}/cancellations`),
  teardown: (path, reason) =>
    remove(reason === '' ? path : `${path}?force=true&reason=${encodeURIComponent(reason)}`),
};

/** Actions about the active revision: their question names it. */
const OF_ATTEMPT: ReadonlySet<ServiceAction> = new Set(['retry', 'cancel', 'restart']);

function questionOf(
  { action, forcible }: Button,
  { claim, contact, now }: DatedClaim,
  earlier: readonly RevisionView[],
): ActionQuestion {
  const { service, desired } = claim;
  const base = {
    action,
    title: `${LABELS[action]} ${service}${OF_ATTEMPT.has(action) ? ` r${desired.revision}` : ''}?`,
    yes: YES[action],
    text: EFFECTS[action],
  };
  switch (action) {
    case 'rollback': {
      // The page holds only the newest revisions: without one to choose, the server chooses.
      if (earlier.length === 0) return base;
      const newestFirst = [...earlier].sort((a, b) => b.revision - a.revision);
      const serverNow = serverNowOf(contact, now);
      const choices = newestFirst.map((one) => ({
        value: String(one.revision),
        label: describeRevision(one, serverNow),
        yes: `${YES[action]} to r${one.revision}`,
      }));
      return { ...base, choices, label: 'To revision', value: choices[0]?.value ?? '' };
    }
    case 'scale':
      return {
        ...base,
        label: `Copies (${desired.replicas} wanted now)`,
        value: String(desired.replicas),
        isNumber: true,
      };
    case 'teardown':
      return forcible === null
        ? { ...base, isGrave: true }
        : { ...base, text: forcible, label: 'Reason', value: '', isForce: true, isGrave: true };
    default:
      return base;
  }
}

/** A revision in one line: kind, actor, commit, age. */
function describeRevision({ revision, kind, actor, git, createdAt }: RevisionView, now: number): string {
  const what = git === null ? [kind, actor] : [kind, actor, commit(git)];
  return [`r${revision}`, ...what, longAgo(now - Date.parse(createdAt))].join(' · ');
}
