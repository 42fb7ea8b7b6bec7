import type { Claim } from '../../../../src/contract/claim.ts';
import { nameOf, targetOf } from '../../../../src/contract/names.ts';
import type { Button } from '../../../../src/contract/presentation/buttons.ts';
import type { NextStep } from '../../../../src/contract/presentation/next-step.ts';
import type { State } from '../../../../src/contract/vocabulary.ts';
import { actionAddress } from '../../pages/service/next/asked-action.ts';
import { beginWordsOf, splitWords, type TypedWords, wordsOf } from './typed-words.ts';

/** A service as the palette lists it. */
interface PaletteService {
  readonly ref: string;
  readonly state: State;
  /** One short sentence. */
  readonly says: string;
}

/** One line of the palette. Without `address` it cannot be chosen, and `note` is the reason. */
export interface PaletteItem {
  readonly id: string;
  readonly text: string;
  /** The rest of a service's reference, which is quieter than its name. */
  readonly rest?: string;
  readonly state?: State;
  readonly says?: string;
  readonly note?: string;
  readonly keys?: string;
  readonly address: string | null;
  /** Set apart from the lines above it: it takes something away. */
  readonly isApart?: boolean;
}

export interface PaletteGroup {
  readonly title: string;
  readonly items: readonly PaletteItem[];
}

/** A page that the palette leads to. */
export interface PalettePage {
  readonly title: string;
  readonly address: string;
  readonly keys?: string;
  readonly note?: string;
}

const MOST_SERVICES = 6;

interface PaletteContent {
  readonly services: readonly PaletteService[];
  /** The service whose page is open. */
  readonly current: string | null;
  /** That page shows the past; what is done is done now. */
  readonly isPast?: boolean;
  /** The actions on a service, once its claim was read. */
  readonly buttonsOf: (ref: string) => readonly Button[] | null;
  readonly claimOf: (ref: string) => Claim | undefined;
  /** The one step that the page of a service offers first. */
  readonly stepOf: (ref: string) => NextStep | null;
  /** The revision that a rollback goes to; null while it is not read, or where there is none. */
  readonly rollbackOf: (ref: string) => number | null;
  readonly pages: readonly PalettePage[];
}

/** The service in question: the first that is found, or the one whose page is open while nothing is typed. */
export function serviceInQuestion(
  typed: string,
  { services, current }: Pick<PaletteContent, 'services' | 'current'>,
): string | null {
  const { ofService } = meantWords(typed, services);
  return ofService.length === 0 ? current : (foundServices(ofService, services)[0]?.ref ?? current);
}

/** Words that no service has are about what to do, where they begin words of that: "roll shop". */
function meantWords(typed: string, services: readonly PaletteService[]): TypedWords {
  const words = wordsOf(typed);
  const hasService = (some: readonly string[]) => foundServices(some, services).length > 0;
  return splitWords(words, hasService, CAN_BE_DONE) ?? { ofService: words, ofAction: [] };
}

/** Everything that fits what was typed: services, what can be done with the one in question, its parts, pages. */
export function paletteGroups(typed: string, known: PaletteContent): readonly PaletteGroup[] {
  const words = wordsOf(typed);
  const { ofService, ofAction } = meantWords(typed, known.services);
  const found = foundServices(ofService, known.services);
  const subject = serviceInQuestion(typed, known);
  const isAsked = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const isAboutSubject = found.length > 0 || words.length === 0;
  const ofSubject = (itemsOf: (ref: string, known: PaletteContent) => readonly PaletteItem[]) =>
    subject === null
      ? []
      : itemsOf(subject, known).filter(({ text }) =>
          isAboutSubject ? beginWordsOf(ofAction, text) : isAsked(text),
        );
  const services = { title: 'Services', items: found.slice(0, MOST_SERVICES).map(serviceItem) };
  const isAction = ofAction.length > 0;
  const groups: PaletteGroup[] = [
    ...(isAction ? [] : [services]),
    {
      title: `Do ${known.isPast === true ? 'now ' : ''}with ${subject ?? ''}`,
      items: ofSubject(actionItems),
    },
    { title: `Look at ${subject ?? ''}`, items: ofSubject(partItems) },
    ...(isAction ? [services] : []),
    {
      title: 'Go to',
      items: known.pages
        .filter(({ title }) => isAsked(title))
        .map(({ title, ...page }) => ({ id: `page ${title}`, text: title, ...page })),
    },
  ];
  return groups.filter(({ items }) => items.length > 0);
}

/** Names that begin with the first word come first; then names that contain every word. */
function foundServices(
  words: readonly string[],
  services: readonly PaletteService[],
): readonly PaletteService[] {
  const [first] = words;
  if (first === undefined) return [];
  const matching = services.filter(({ ref }) => words.every((word) => ref.includes(word)));
  const rank = ({ ref }: PaletteService) => (ref.startsWith(first) ? 0 : 1);
  return matching.sort((a, b) => rank(a) - rank(b) || (a.ref < b.ref ? -1 : 1));
}

function serviceItem({ ref, state, says }: PaletteService): PaletteItem {
  const [name = '', ...scope] = nameOf(ref).split('.');
  return {
    id: `service ${ref}`,
    text: name,
    rest: `${scope.length === 0 ? '' : `.${scope.join('.')}`}@${targetOf(ref)}`,
    state,
    says,
    address: `/services/${ref}`,
  };
}

const LABELS: Readonly<Record<Button['action'], string>> = {
  retry: 'Retry',
  rollback: 'Roll back',
  restart: 'Restart',
  scale: 'Scale',
  cancel: 'Cancel',
  teardown: 'Tear down',
};

const PARTS = ['Evidence', 'Revisions', 'Logs', 'Configuration'] as const;

/** Everything that can be done with a service, or looked at, in the words of its lines. */
const CAN_BE_DONE: readonly string[] = [
  ...Object.values(LABELS),
  ...PARTS,
  'Edit configuration',
  'Take off the lists',
  'Look at target',
];

/** Only something to do was typed, and not with which service. */
export const isActionAlone = (typed: string): boolean => {
  const words = wordsOf(typed);
  return words.length > 0 && CAN_BE_DONE.some((text) => beginWordsOf(words, text));
};

/** A few words about an action whose name does not say what it does. */
const NOTES: Partial<Record<Button['action'], string>> = {
  rollback: 'to an earlier revision, builds nothing',
  retry: 'from the first step that is not proven',
  restart: 'the same app, as a new revision',
};

/**
 * The step that the page of the service offers first is first here too. Actions that can be requested follow; then what is
 * impossible, with the reason. To tear down stands last, apart: a hand that slips must not land on it.
 */
function actionItems(ref: string, known: PaletteContent): readonly PaletteItem[] {
  const revision = known.claimOf(ref)?.desired.revision;
  const back = known.rollbackOf(ref);
  const label = ({ action, isOffLists }: Button) => {
    if (isOffLists) return 'Take off the lists';
    if (action === 'rollback' && back !== null) return `${LABELS.rollback} to r${back}`;
    return revision !== undefined && (action === 'retry' || action === 'cancel' || action === 'restart')
      ? `${LABELS[action]} r${revision}`
      : LABELS[action];
  };
  const item = (button: Button): PaletteItem => {
    const isPossible = button.whyNot === null || button.forcible !== null;
    return {
      id: `action ${button.action}`,
      text: label(button),
      ...noteOf(button, back),
      ...(button.action === 'teardown' ? { isApart: true } : {}),
      address: isPossible
        ? actionAddress(ref, button.action, button.action === 'rollback' ? back : null)
        : null,
    };
  };
  const items = (known.buttonsOf(ref) ?? []).map(item);
  const step = known.stepOf(ref);
  const first = step?.kind === 'action' ? `action ${step.button.action}` : null;
  // Puts the retry behind the other steps where the revision must fail again until somebody corrects it.
  const isFix = step?.kind === 'deploy';
  const rank = ({ id, isApart, address }: PaletteItem) =>
    id === first ? 0 : isApart === true ? 4 : address === null ? 3 : isFix && id === 'action retry' ? 2 : 1;
  const sorted = items.sort((a, b) => rank(a) - rank(b));
  if (step?.kind === 'look_at_target') return [targetItem(targetOf(ref)), ...sorted];
  return isFix ? [fixItem(ref), ...sorted] : sorted;
}

/** The part of a fix that can be made here; the rest is in the folder of the app. */
const fixItem = (ref: string): PaletteItem => ({
  id: 'fix',
  text: 'Edit configuration',
  note: 'fix it and deploy again',
  address: `/services/${ref}/configuration`,
});

/** The way to the target is the step if only the target settles it. */
const targetItem = (target: string): PaletteItem => ({
  id: `target ${target}`,
  text: `Look at target ${target}`,
  address: `/targets?target=${target}`,
});

/** The parts of a service's page. */
function partItems(ref: string): readonly PaletteItem[] {
  return PARTS.map((text): PaletteItem => {
    const tab = text.toLowerCase();
    return { id: `tab ${tab}`, text, address: `/services/${ref}/${tab}` };
  });
}

function noteOf(
  { action, whyNot, forcible, isOffLists }: Button,
  back: number | null,
): Pick<PaletteItem, 'note'> {
  if (isOffLists) return { note: 'by force, and stops nothing at its target' };
  if (whyNot !== null) return { note: forcible === null ? `not possible: ${whyNot}` : 'only by force' };
  const note = action === 'rollback' && back !== null ? 'builds nothing' : NOTES[action];
  return note === undefined ? {} : { note };
}

/** The index of the next line that can be chosen, in a circle; lines with a reason are passed over. */
export function nextChoice(items: readonly PaletteItem[], from: number, by: 1 | -1): number {
  for (let step = 1; step <= items.length; step += 1) {
    const i = (from + by * step + items.length * step) % items.length;
    if (items[i]?.address !== null && items[i] !== undefined) return i;
  }
  return from;
}
