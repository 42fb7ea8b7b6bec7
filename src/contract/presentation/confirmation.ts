import { isManagedElsewhere, type ServiceAction } from '../actions.ts';
import type { Claim } from '../claim.ts';
import { nameOf, targetOf } from '../names.ts';
import { EFFECTS, OFF_LISTS_EFFECT } from './buttons.ts';
import { ago, clockTime } from './times.ts';

/** The text that a person reads before an action is requested: what happens, to what, and what it leaves as it is. */
interface Confirmation {
  readonly title: string;
  readonly text: string;
  readonly facts: readonly { readonly name: string; readonly text: string }[];
}

/** The revision that is known to serve at this instant; null: none is proven to. */
type ServingNow = { readonly revision: number; readonly agoMs: number } | null;

/** Nobody can say from here what the action meets: its target is silent, or this page has lost its server. */
export interface Unseen {
  readonly of: 'target' | 'page';
  /** The last that was heard, by the server's clock; null: never. */
  readonly since: number | null;
}

/**
 * The words of the question. `goal` is the revision that a rollback goes to, where one is chosen; else the server
 * chooses. Nothing here promises a revision number that does not exist yet.
 */
export function confirmationOf(
  action: ServiceAction,
  claim: Claim,
  serving: ServingNow,
  goal: number | null,
  isNothingServing = false,
  unseen: Unseen | null = null,
): Confirmation {
  const words = wordsOf(action, claim, serving, goal, isNothingServing, unseen);
  const risk = riskOf(claim, action);
  return risk === null ? words : { ...words, text: `${risk} ${words.text}` };
}

/** The reason why an action that may be requested is not safe; null: none is known. */
function riskOf({ actions }: Pick<Claim, 'actions'>, action: ServiceAction): string | null {
  const decision = actions.find((one) => one.action === action);
  return decision === undefined || decision.allowed === false ? null : (decision.risk?.detail ?? null);
}

/** The line above actions that nobody advises, where one of them would start copies beside others. */
export function riskLine({ actions }: Pick<Claim, 'actions'>): string | null {
  const risky = actions.find((one) => one.allowed !== false && one.risk !== undefined);
  return risky === undefined ? null : riskOf({ actions }, risky.action);
}

function wordsOf(
  action: ServiceAction,
  claim: Claim,
  serving: ServingNow,
  goal: number | null,
  isNothingServing: boolean,
  unseen: Unseen | null,
): Confirmation {
  const { service, desired } = claim;
  const r = `r${desired.revision}`;
  const where = { name: 'Where', text: `Target ${targetOf(service)}${whenIn(action, unseen)}` };
  const stays =
    unseen === null
      ? servingFact(serving, isNothingServing, staysOf(action, claim, serving))
      : lastServed(claim, unseen);
  switch (action) {
    case 'rollback':
      return {
        title: goal === null ? `Roll back ${service}?` : `Roll back ${service} to r${goal}?`,
        text:
          goal === null
            ? EFFECTS.rollback
            : `Makes the next revision, after ${r}, from the artifact and configuration of r${goal}. Nothing is built. The number of copies stays as ${r} has it: ${desired.replicas}.`,
        facts: [
          ...stays,
          { name: 'What it does not undo', text: `What ${r} has changed in your data.` },
          where,
        ],
      };
    case 'retry':
      return { title: `Retry ${r} of ${service}?`, text: EFFECTS.retry, facts: [...stays, where] };
    case 'restart':
      return { title: `Restart ${r} of ${service}?`, text: EFFECTS.restart, facts: [...stays, where] };
    case 'cancel':
      return { title: `Cancel ${r} of ${service}?`, text: EFFECTS.cancel, facts: [...stays, where] };
    case 'scale':
      return { title: `Scale ${r} of ${service}?`, text: EFFECTS.scale, facts: [...stays, where] };
    case 'teardown':
      if (isManagedElsewhere(claim.actions))
        return {
          title: `Take ${service} off the lists?`,
          text: OFF_LISTS_EFFECT,
          facts: [
            { name: 'What it stops', text: 'Nothing.' },
            { name: 'What it does not do', text: 'It deletes no record: history and evidence stay.' },
            { name: 'Where', text: `Here alone: target ${targetOf(service)} is told nothing.` },
          ],
        };
      return {
        title: `Tear down ${service}?`,
        text: EFFECTS.teardown,
        facts: [
          {
            name: 'What it stops',
            text:
              unseen?.of === 'target'
                ? `Every copy of ${nameOf(service)} that ${targetOf(service)} still has, once that is heard again.`
                : `Every copy of ${nameOf(service)}, of every revision.`,
          },
          ...stays,
          { name: 'What it does not do', text: 'It deletes no record: history, logs and evidence stay.' },
          where,
        ],
      };
  }
}

/** The end of the sentence about the target: when it does there what was requested. */
function whenIn(action: ServiceAction, unseen: Unseen | null): string {
  if (unseen?.of !== 'target') return '.';
  const silent = unseen.since === null ? 'never heard' : `silent since ${clockTime(unseen.since)}`;
  const meets = action === 'cancel' ? '' : ' It then meets whatever runs there.';
  return `, ${silent}. Nothing happens there before it is heard again.${meets}`;
}

/** Names the revision that was seen serving last, where nobody can see which one the action meets. */
function lastServed({ serving, lastServing }: Claim, unseen: Unseen): Confirmation['facts'] {
  const seen = serving ?? lastServing;
  const last = seen === null ? 'Nothing was seen to serve.' : `r${seen.revision} served when last seen.`;
  const now =
    unseen.of === 'page'
      ? 'This page cannot see what serves now.'
      : 'Nobody can tell from here what runs there now.';
  return [{ name: 'What serves now', text: `${last} ${now}` }];
}

/** The line above actions that nobody advises, while it cannot be seen what they would meet. */
export function unseenLine(service: string, unseen: Unseen | null): string | null {
  if (unseen === null) return null;
  if (unseen.of === 'page')
    return 'Each asks before it is sent, and may not arrive: this page cannot see what it would meet.';
  const target = targetOf(service);
  return `${target} is silent: nobody sees what these would hit, and nothing happens there before ${target} is heard.`;
}

/** The fate of the revision that serves now. */
const STAYS: Readonly<Record<ServiceAction, string>> = {
  rollback: 'It goes on serving until the new revision is ready.',
  retry: 'It goes on serving until the retry is ready.',
  restart: 'It goes on serving until the new revision is ready.',
  scale: 'It goes on serving; copies that stay are not restarted.',
  cancel: 'It goes on serving.',
  teardown: 'It stops serving, and its addresses stop answering.',
};

/** A scaling keeps the copies of what it scales, and replaces those of another revision. */
const staysOf = (action: ServiceAction, { desired }: Claim, serving: ServingNow): string =>
  action === 'scale' && serving?.revision !== desired.revision ? STAYS.restart : STAYS[action];

function servingFact(serving: ServingNow, isNothingServing: boolean, then: string): Confirmation['facts'] {
  return [
    {
      name: 'What serves now',
      text:
        serving === null
          ? isNothingServing
            ? 'Nothing serves.'
            : 'Nothing is proven to serve now.'
          : `r${serving.revision}, seen ${ago(serving.agoMs)}. ${then}`,
    },
  ];
}
