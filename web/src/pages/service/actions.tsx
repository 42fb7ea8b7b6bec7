import { useRef, useState } from 'react';
import type { RevisionView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { commit } from '../../../../src/contract/presentation/about.ts';
import { serverNowOf } from '../../../../src/contract/presentation/heard.ts';
import {
  DEED_DOES,
  type Deed,
  GUARD,
  type Possible,
  possible,
} from '../../../../src/contract/presentation/possible.ts';
import { longAgo } from '../../../../src/contract/presentation/times.ts';
import { post, remove } from '../../api.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import { addClaims } from '../../live/live.ts';
import { ConfirmDialog, type Question } from '../../parts/confirm-dialog.tsx';
import { isAtLeast, type Session } from '../../session.ts';
import type { ShownClaim } from './shown-claim.ts';

interface Props {
  readonly sight: ShownClaim;
  readonly shown: ClaimView;
  readonly revisions: readonly RevisionView[];
  readonly session: Session;
}

type DeedQuestion = Omit<Question, 'stale'> & { readonly deed: Deed };

const LABELS: Readonly<Record<Deed, string>> = {
  retry: 'Retry',
  rollback: 'Roll back',
  restart: 'Restart',
  scale: 'Scale',
  cancel: 'Cancel',
  teardown: 'Tear down',
};

const YES: Readonly<Record<Deed, string>> = { ...LABELS, cancel: 'Cancel it' };

/** Shown while it is so, also over a dialog that is already open. */
const STALE = 'This page is not live: what you see may no longer be so.';

/** Buttons for the actions. A forbidden one shows why; on a page that is not live each warns first. */
export function Actions({ sight, shown, revisions, session }: Props) {
  const [question, setQuestion] = useState<DeedQuestion | null>(null);
  const { claim, at } = sight;
  const good = revisions.filter(hasSucceeded);
  const all = possible(
    claim,
    isAtLeast(session, 'deployer'),
    good.map(({ revision }) => revision),
  );
  const path = `/v1/services/${claim.service}`;
  const box = useRef<HTMLDivElement>(null);
  const ask = (deed: Deed) => setQuestion(questionOf(deed, sight, good));
  const close = () => {
    setQuestion(null);
    // An action may remove its own button: the keyboard focus then stays in this box.
    requestAnimationFrame(() => document.activeElement === document.body && box.current?.focus());
  };
  const act = async (deed: Deed, value: string) => {
    const { claim: after } = await deeds[deed](path, value);
    addClaims([after]);
  };
  if (at !== null) return <p className="soft">This is the past: nothing can be asked of it.</p>;
  return (
    <div ref={box} className="actions" tabIndex={-1}>
      {!shown.isLive && <p className="tone-unknown">These would act on what was last known.</p>}
      {all.map((one) => (
        <ActionButton key={one.deed} {...one} onAsk={() => ask(one.deed)} />
      ))}
      {question !== null && (
        <ConfirmDialog
          question={{ ...question, stale: shown.isLive ? null : STALE }}
          mayForce={isAtLeast(session, 'operator')}
          onAnswer={(value) => act(question.deed, value)}
          onClose={close}
        />
      )}
    </div>
  );
}

function ActionButton({ deed, whyNot, isGuarded, isNext, onAsk }: Possible & { readonly onAsk: () => void }) {
  if (whyNot !== null && !isGuarded)
    return (
      <button type="button" aria-disabled="true" className="why-not" data-deed={deed}>
        {LABELS[deed]}: {whyNot}
      </button>
    );
  return (
    <button type="button" className={isNext ? 'primary' : ''} data-deed={deed} onClick={onAsk}>
      {LABELS[deed]}
      {isGuarded && ' …'}
    </button>
  );
}

const hasSucceeded = ({ attempts, replicas }: RevisionView) =>
  replicas > 0 && attempts.some(({ outcome }) => outcome === 'succeeded');

type Acted = Promise<{ readonly claim: Claim }>;
const deeds: Readonly<Record<Deed, (path: string, value: string) => Acted>> = {
  retry: (path) => post(`${path}/retries`),
  rollback: (path, to) => post(`${path}/rollbacks`, { to: Number(to) }),
  restart: (path) => post(`${path}/restarts`),
  scale: (path, replicas) => post(`${path}/scalings`, { replicas: Number(replicas) }),
  cancel: (path) => post(`${path}/cancellations`),
  teardown: (path, reason) =>
    remove(reason === '' ? path : `${path}?force=true&reason=${encodeURIComponent(reason)}`),
};

/** Actions on the shown revision, which they name. */
const OF_ATTEMPT: ReadonlySet<Deed> = new Set(['retry', 'cancel', 'restart']);

function questionOf(
  deed: Deed,
  { claim, heard, now }: ShownClaim,
  good: readonly RevisionView[],
): DeedQuestion {
  const { service, desired, state } = claim;
  const base = {
    deed,
    title: `${LABELS[deed]} ${service}${OF_ATTEMPT.has(deed) ? ` r${desired.revision}` : ''}?`,
    yes: YES[deed],
    text: DEED_DOES[deed],
  };
  switch (deed) {
    case 'rollback': {
      const below = good.filter(({ revision }) => revision < desired.revision);
      const newestFirst = below.sort((a, b) => b.revision - a.revision);
      const there = serverNowOf(heard, now);
      const choices = newestFirst.map((one) => ({
        value: String(one.revision),
        label: describeRevision(one, there),
        yes: `${YES[deed]} to r${one.revision}`,
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
      return state === 'unknown'
        ? {
            ...base,
            text: GUARD,
            label: 'Reason',
            value: '',
            isForce: true,
            isGrave: true,
          }
        : { ...base, isGrave: true };
    default:
      return base;
  }
}

/** A revision in one line: kind, actor, commit, age. */
function describeRevision({ revision, kind, actor, git, createdAt }: RevisionView, now: number): string {
  const what = git === null ? [kind, actor] : [kind, actor, commit(git)];
  return [`r${revision}`, ...what, longAgo(now - Date.parse(createdAt))].join(' · ');
}
