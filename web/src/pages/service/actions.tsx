import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { ServiceAction } from '../../../../src/contract/actions.ts';
import type { ActionAnswer, RevisionView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { targetOf } from '../../../../src/contract/names.ts';
import { commit } from '../../../../src/contract/presentation/about.ts';
import { type Button, buttonsOf, effectOf } from '../../../../src/contract/presentation/buttons.ts';
import { confirmationOf } from '../../../../src/contract/presentation/confirmation.ts';
import { leadOf } from '../../../../src/contract/presentation/moves.ts';
import { impossibleLines, nextStepOf } from '../../../../src/contract/presentation/next-step.ts';
import { nothingServesNow, serverNowOf } from '../../../../src/contract/presentation/server-contact.ts';
import { longAgo } from '../../../../src/contract/presentation/times.ts';
import { STALE_MOVE } from '../../../../src/contract/presentation/words.ts';
import { post, remove } from '../../api.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import { addClaims } from '../../live/live.ts';
import { ConfirmDialog, type ConfirmQuestion } from '../../parts/confirm-dialog.tsx';
import { CopyField } from '../../parts/copy-field.tsx';
import { hasRoleAtLeast, type Session } from '../../session.ts';
import type { DatedClaim } from './dated-claim.ts';
import { useQueryParameter } from './query-parameter.ts';
import { RollbackChanges } from './rollback-changes.tsx';
import { earlierOf, newestOf } from './rollback-goals.ts';
import { tabAddress } from './tabs.ts';
import { provenServing } from './verdict.tsx';

interface Props {
  readonly dated: DatedClaim;
  readonly claimView: ClaimView;
  readonly revisions: readonly RevisionView[];
  readonly session: Session;
  /** Variables that its log calls missing: to set them is the step that its own words name. */
  readonly missing: readonly string[];
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

/**
 * One button for the safe step, the others quiet; what cannot be requested is one line. On a page that is not live each
 * action warns first.
 */
export function Actions({ dated, claimView, revisions, session, missing }: Props) {
  const [asked, setAsked] = useState<Button | null>(null);
  const { claim } = dated;
  const earlier = earlierOf(revisions, claim.desired.revision);
  const buttons = buttonsOf(claim, hasRoleAtLeast(session, 'deployer'), earlier.length > 0);
  const step = claimView.isLive ? nextStepOf(claim, buttons, hasRoleAtLeast(session, 'operator')) : null;
  const first = step?.kind === 'action' ? step.button : null;
  const path = `/v1/services/${claim.service}`;
  const box = useRef<HTMLDivElement>(null);
  // Worded anew while it is open: what serves now may end before somebody answers.
  const question = asked === null ? null : questionOf(asked, dated, claimView, earlier);
  // The palette leads here; the question is asked once, and an address that is sent on asks nothing.
  const [wish, forget] = useQueryParameter('do');
  const wished = buttons.find(({ action }) => action === wish);
  useEffect(() => {
    // Without revisions it is not known yet where a rollback could go.
    if (wish === null || revisions.length === 0) return;
    forget(null);
    if (wished !== undefined && (wished.whyNot === null || wished.forcible !== null)) setAsked(wished);
  });
  const close = () => {
    setAsked(null);
    // An action may remove its own button: the keyboard focus then stays in this box.
    requestAnimationFrame(() => document.activeElement === document.body && box.current?.focus());
  };
  const act = async (action: ServiceAction, value: string) => {
    const { claim: after } = await requests[action](path, value);
    addClaims([after]);
  };
  const serving = provenServing(dated, claimView);
  const lead = claimView.isLive ? leadOf(claim, serving) : STALE_MOVE;
  const back = newestOf(earlier);
  const label = ({ action }: Button) => labelOf(action, claim, back);
  const quiet = buttons.filter((one) => one !== first && (one.whyNot === null || one.forcible !== null));
  const target = targetOf(claim.service);
  const configuration = tabAddress(claim.service, 'configuration');
  const mayDeploy = hasRoleAtLeast(session, 'deployer');
  const isNamed = missing.length > 0 && claimView.isLive && mayDeploy;
  return (
    <div ref={box} className="actions" tabIndex={-1}>
      <p>{lead}</p>
      {first !== null && (
        <>
          <ActionButton
            {...first}
            className="primary wide"
            label={label(first)}
            onAsk={() => setAsked(first)}
          />
          <p className="note soft">{noteOf(first.action, back, serving)}</p>
        </>
      )}
      {step?.kind === 'deploy' && mayDeploy && !isNamed && (
        <>
          <CopyField isQuiet label="The line that deploys it" value={step.command} />
          <p className="note soft">
            Correct it in the folder of the app, then run this line there. It makes the next revision.
          </p>
        </>
      )}
      {step?.kind === 'look_at_target' && (
        <Link href={`/targets?target=${target}`} className="primary wide">
          Look at target {target}
        </Link>
      )}
      {isNamed && (
        <>
          <Link href={configuration} className={first === null ? 'primary wide' : 'second wide'}>
            Edit configuration
          </Link>
          <p className="note soft">
            The log names {missing.join(', ')}, which r{claim.desired.revision} does not have.
          </p>
        </>
      )}
      {quiet.length > 0 && (
        <p className="quiet-actions">
          {quiet.map((button) => (
            <ActionButton
              key={button.action}
              {...button}
              className="quiet-action"
              label={label(button)}
              onAsk={() => setAsked(button)}
            />
          ))}
          {!isNamed && (
            <Link href={configuration} className="quiet-action">
              Edit configuration
            </Link>
          )}
        </p>
      )}
      {impossibleLines(claim, buttons, LABELS).map((line) => (
        <p key={line} className="impossible soft">
          {line}
        </p>
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

interface ActionButtonProps extends Button {
  readonly className: string;
  readonly label: string;
  readonly onAsk: () => void;
}

function ActionButton({ action, forcible, className, label, onAsk }: ActionButtonProps) {
  return (
    <button type="button" className={className} data-action={action} onClick={onAsk}>
      {label}
      {forcible !== null && ' …'}
    </button>
  );
}

/** The button names what it acts on. */
function labelOf(action: ServiceAction, { desired }: Claim, back: number | null): string {
  if (action === 'rollback' && back !== null) return `Roll back to r${back}`;
  return action === 'retry' ? `Retry r${desired.revision}` : LABELS[action];
}

const noteOf = (action: ServiceAction, back: number | null, serving: number | null): string =>
  action === 'rollback' && back !== null
    ? `Restores the artifact and the configuration of r${back}. Nothing is built.`
    : effectOf(action, serving);

const requests: Readonly<Record<ServiceAction, (path: string, value: string) => Promise<ActionAnswer>>> = {
  retry: (path) => post(`${path}/retries`),
  rollback: (path, to) => post(`${path}/rollbacks`, to === '' ? {} : { to: Number(to) }),
  restart: (path) => post(`${path}/restarts`),
  scale: (path, replicas) => post(`${path}/scalings`, { replicas: Number(replicas) }),
  cancel: (path) => post(`${path}/cancellations`),
  teardown: (path, reason) =>
    remove(reason === '' ? path : `${path}?force=true&reason=${encodeURIComponent(reason)}`),
};

function questionOf(
  { action, forcible }: Button,
  dated: DatedClaim,
  claimView: ClaimView,
  earlier: readonly RevisionView[],
): ActionQuestion {
  const { claim, contact, now } = dated;
  const { desired } = claim;
  const serverNow = serverNowOf(contact, now);
  const served = provenServing(dated, claimView);
  const serving = served === null ? null : { revision: served, agoMs: claimView.ageMs ?? 0 };
  const isNothing = nothingServesNow(contact, claim, now) !== null;
  const base = { action, yes: YES[action], ...confirmationOf(action, claim, serving, null, isNothing) };
  switch (action) {
    case 'rollback': {
      // The page holds only the newest revisions: without one to choose, the server chooses.
      if (earlier.length === 0) return base;
      const newestFirst = [...earlier].sort((a, b) => b.revision - a.revision);
      const choices = newestFirst.map((one) => {
        const { title, text } = confirmationOf(action, claim, serving, one.revision);
        return {
          value: String(one.revision),
          label: describeRevision(one, serverNow),
          yes: `${YES[action]} to r${one.revision}`,
          title,
          text,
        };
      });
      const detail = (value: string) => (
        <RollbackChanges service={claim.service} from={desired.revision} goal={Number(value)} />
      );
      return { ...base, detail, choices, label: 'To revision', value: choices[0]?.value ?? '' };
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
