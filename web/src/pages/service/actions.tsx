import { useEffect, useRef, useState } from 'react';
import { isManagedElsewhere, type ServiceAction } from '../../../../src/contract/actions.ts';
import type { ActionAnswer, RevisionView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { targetOf } from '../../../../src/contract/names.ts';
import { type Button, buttonsOf, effectOf } from '../../../../src/contract/presentation/buttons.ts';
import { riskLine, unseenLine } from '../../../../src/contract/presentation/confirmation.ts';
import { LOST_MOVE, leadOf, STALE_MOVE } from '../../../../src/contract/presentation/lead.ts';
import { impossibleLines, nextStepOf } from '../../../../src/contract/presentation/next-step.ts';
import { rollbackNote } from '../../../../src/contract/presentation/rollback-words.ts';
import { silenceMs } from '../../../../src/contract/presentation/server-contact.ts';
import { post, remove } from '../../api.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import { addClaims } from '../../live/live.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { hasRoleAtLeast, type Session } from '../../session.ts';
import type { DatedClaim } from './dated-claim.ts';
import { ACTION_LABELS, OFF_LISTS_LABEL } from './next/action-labels.ts';
import { askedAction } from './next/asked-action.ts';
import { OtherActions } from './next/other-actions.tsx';
import { questionOf, unseenOf } from './next/question.tsx';
import { SafeStep, type Way } from './next/safe-step.tsx';
import { useQueryParameter } from './query-parameter.ts';
import { earlierOf, newestOf, outlookOf } from './rollback-goals.ts';
import { tabAddress } from './tabs.ts';
import { provenServing } from './verdict.tsx';

interface Props {
  readonly dated: DatedClaim;
  readonly claimView: ClaimView;
  readonly revisions: readonly RevisionView[];
  readonly session: Session;
  /** The ready copies of the revision that is proven to serve; null: not known. */
  readonly servingCopies: number | null;
  /** Variables that its log calls missing: to set them is the step that its own words name. */
  readonly missing: readonly string[];
}

/** The action that is asked about; of a rollback the revision that was named, null where the newest is proposed. */
interface OpenQuestion {
  readonly button: Button;
  readonly goal: number | null;
}

/** Shown while it is so, also over a dialog that is already open. */
const STALE = 'This page has lost its server: things may have changed, and a request may not arrive.';
const TOO_OLD = 'What this page shows is too old: things may have changed.';

const RETRY_NOTE =
  'If the reason lies outside of the app, correct it there, and try the same revision again.';

/**
 * What is safe next with one button, and apart from it the other actions; what cannot be requested is one line. On a page
 * that is not live each action warns first.
 */
export function Actions({ dated, claimView, revisions, session, servingCopies, missing: named }: Props) {
  const [asked, setAsked] = useState<OpenQuestion | null>(null);
  const { claim, contact, now } = dated;
  const { desired } = claim;
  const { isLive } = claimView;
  const mayDeploy = hasRoleAtLeast(session, 'deployer');
  const isOperator = hasRoleAtLeast(session, 'operator');
  const earlier = earlierOf(revisions, desired.revision);
  const buttons = buttonsOf(claim, mayDeploy, earlier.length > 0);
  const serving = provenServing(dated, claimView);
  const isOtherServing = serving !== null && serving !== desired.revision;
  const step = isLive ? nextStepOf(claim, buttons, isOperator, isOtherServing) : null;
  const box = useRef<HTMLDivElement>(null);
  const ask = (button: Button) => setAsked({ button, goal: null });
  // Worded anew while it is open: what serves now may end before somebody answers.
  const question =
    asked === null ? null : questionOf(asked.button, dated, claimView, earlier, servingCopies, asked.goal);
  // The palette leads here; the question is asked once, and an address that is sent on asks nothing.
  const [wish, forget] = useQueryParameter('do');
  const wished = wish === null ? null : askedAction(wish);
  useEffect(() => {
    // Without revisions it is not known yet where a rollback could go.
    if (wish === null || revisions.length === 0) return;
    forget(null);
    const button = buttons.find(({ action }) => action === wished?.action);
    const goal = wished?.goal ?? null;
    // Asked about another revision than the address names, somebody in a hurry would confirm that one.
    const isOffered = goal === null || earlier.some(({ revision }) => revision === goal);
    if (button !== undefined && isOffered && (button.whyNot === null || button.forcible !== null))
      setAsked({ button, goal });
  });
  const close = () => {
    setAsked(null);
    // An action may remove its own button: the keyboard focus then stays in this box.
    requestAnimationFrame(() => document.activeElement === document.body && box.current?.focus());
  };
  const act = async (action: ServiceAction, value: string) => {
    const { claim: after } = await requests[action](`/v1/services/${claim.service}`, value);
    addClaims([after]);
  };
  const back = newestOf(earlier);
  const labelled = (button: Button) => ({ ...button, label: labelOf(button, claim, back) });
  const wayOf = (button: Button, note: string): Way => ({
    ...{ label: labelOf(button, claim, back), note, action: button.action },
    onAsk: () => ask(button),
  });
  const goal = earlier.find(({ revision }) => revision === back);
  const noteOf = (action: ServiceAction) =>
    action !== 'rollback' || goal === undefined
      ? effectOf(action, serving)
      : rollbackNote(outlookOf(claim, goal, serving, servingCopies));
  // Where another tool deploys it, the configuration cannot be changed here.
  const missing = isLive && mayDeploy && claim.next.action === 'deploy' ? named : NOTHING;
  const configuration = tabAddress(claim.service, 'configuration');
  const setsThem: Way | null =
    missing.length === 0
      ? null
      : {
          label: `Set ${missing.length === 1 ? missing[0] : `${missing.length} variables`}`,
          note: `The log names ${missing.join(', ')}, which r${desired.revision} does not have.`,
          href: `${configuration}?set=${missing.join(',')}`,
        };
  const pressed = step?.kind === 'action' ? step.button : null;
  const rollback = buttons.find(({ action, whyNot }) => action === 'rollback' && whyNot === null);
  // A page that is not live names no move, so it offers no way out of one either.
  const isStuck = isLive && claim.next.owner === 'user' && claim.outcome !== 'in_progress';
  const target = targetOf(claim.service);
  const looksAtTarget: Way = {
    ...{ label: `Look at target ${target}`, note: '', href: `/targets?target=${target}` },
  };
  const first =
    pressed !== null
      ? wayOf(pressed, noteOf(pressed.action))
      : step?.kind === 'look_at_target'
        ? looksAtTarget
        : setsThem;
  const backInstead =
    isStuck && rollback !== undefined && rollback !== pressed && back !== null
      ? wayOf(rollback, noteOf('rollback'))
      : null;
  const line = step?.kind === 'deploy' && mayDeploy && setsThem === null ? step.command : null;
  const retry = buttons.find(({ action, whyNot }) => action === 'retry' && whyNot === null);
  const { retrySafe, retryHelps } = claim.next;
  // Nobody can tell from here whether the app has to be corrected, or what it needs and does not find.
  const againInstead =
    isStuck && line !== null && retry !== undefined && retrySafe && retryHelps !== false
      ? wayOf(retry, RETRY_NOTE)
      : null;
  const second = first === setsThem ? backInstead : (setsThem ?? backInstead ?? againInstead);
  const shown = [first, second].map((way) => way?.action);
  const others = buttons.filter(
    ({ action, whyNot, forcible, isOffLists = false }) =>
      !shown.includes(action) && (whyNot === null || forcible !== null) && (!isOffLists || isOperator),
  );
  const mayConfigure = mayDeploy && !isManagedElsewhere(claim.actions);
  const lead = isLive
    ? leadOf(claim, serving, {
        backTo: pressed?.action === 'rollback' ? back : null,
        missing,
        mayOnlyRead: !mayDeploy,
        looksAt: step?.kind === 'look_at_target' ? target : null,
      })
    : silenceMs(contact, now) === null
      ? STALE_MOVE
      : LOST_MOVE;
  return (
    <>
      <section aria-label="What is safe next" className="safe-next">
        <h2>
          <Icon name="arrow" />
          What is safe next
        </h2>
        <div ref={box} className="actions" tabIndex={-1}>
          <SafeStep lead={lead} first={first} line={line} second={second}>
            {impossibleLines(claim, buttons, ACTION_LABELS).map((line) => (
              <p key={line} className="impossible soft">
                {line}
              </p>
            ))}
          </SafeStep>
        </div>
      </section>
      <OtherActions
        buttons={others.map(labelled)}
        configuration={setsThem === null && mayConfigure ? configuration : null}
        warning={unseenLine(claim.service, unseenOf(dated)) ?? riskLine(claim)}
        onAsk={ask}
      />
      {question !== null && (
        <ConfirmDialog
          question={{
            ...question,
            stale: isLive ? null : silenceMs(contact, now) === null ? TOO_OLD : STALE,
          }}
          mayForce={isOperator}
          onAnswer={(value) => act(question.action, value)}
          onClose={close}
        />
      )}
    </>
  );
}

const NOTHING: readonly string[] = [];

/** The button names what it acts on. */
function labelOf({ action, isOffLists }: Button, { desired }: Claim, back: number | null): string {
  if (isOffLists) return OFF_LISTS_LABEL;
  if (action === 'rollback' && back !== null) return `Roll back to r${back}`;
  const isNamed = action === 'retry' || action === 'restart';
  return isNamed ? `${ACTION_LABELS[action]} r${desired.revision}` : ACTION_LABELS[action];
}

const requests: Readonly<Record<ServiceAction, (path: string, value: string) => Promise<ActionAnswer>>> = {
  retry: (path) => post(`${path}/retries`),
  rollback: (path, to) => post(`${path}/rollbacks`, to === '' ? {} : { to: Number(to) }),
  restart: (path) => post(`${path}/restarts`),
  scale: (path, replicas) => post(`${path}/scalings`, { replicas: Number(replicas) }),
  cancel: (path) => post(`${path}/cancellations`),
  teardown: (path, reason) =>
    remove(reason === '' ? path : `${path}?force=true&reason=${encodeURIComponent(reason)}`),
};
