import '../../styles/palette.css';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { ServiceItem } from '../../../../src/contract/answers/views.ts';
import { buttonsOf } from '../../../../src/contract/presentation/buttons.ts';
import { nextStepOf } from '../../../../src/contract/presentation/next-step.ts';
import { servingNow } from '../../../../src/contract/presentation/server-contact.ts';
import { getAll } from '../../api.ts';
import { claimViewOf } from '../../live/claim-view.ts';
import { addClaims, useNow, useView } from '../../live/live.ts';
import { useSilentTargets } from '../../live/target-ages.ts';
import { hasRoleAtLeast, type Session } from '../../session.ts';
import { Icon } from '../icon.tsx';
import { StateMark } from '../state-mark.tsx';
import { Matched } from './matched.tsx';
import { nextChoice, type PaletteItem, paletteGroups, serviceInQuestion } from './palette-items.ts';
import { pagesFor } from './palette-pages.ts';
import { useRollbackGoal } from './rollback-goal.ts';
import { wordsOf } from './typed-words.ts';

interface Props {
  readonly session: Session;
  /** Kept outside: the first letters are typed before this is loaded. */
  readonly typed: string;
  readonly onType: (typed: string) => void;
  readonly onClose: () => void;
}

/** The names of services are read again after this time; what they say comes by the stream. */
const AGAIN_MS = 30_000;

/** Services, what can be done with one, and pages, by typing. Every action asks once more on the page of its service. */
export function Palette({ session, typed, onType, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [place, go] = useLocation();
  const [chosen, choose] = useState(0);
  const silent = useSilentTargets();
  const view = useView();
  const now = useNow();
  // Before the next key: a letter typed meanwhile would find no field.
  useLayoutEffect(() => {
    dialog.current?.showModal();
    const input = dialog.current?.querySelector('input');
    input?.setSelectionRange(input.value.length, input.value.length);
  }, []);
  const list = useQuery({
    queryKey: ['names of services'],
    queryFn: async ({ signal }) => {
      const { items } = await getAll<ServiceItem>('/v1/services', signal);
      addClaims(items.map(({ claim }) => claim));
      return items.map(({ ref }) => ref);
    },
    staleTime: AGAIN_MS,
  });
  const current = /^\/services\/([^/]+)/.exec(place)?.[1] ?? null;
  const mayAct = hasRoleAtLeast(session, 'deployer');
  const needing = (list.data ?? []).filter((ref) => {
    const claim = view.claims.get(ref);
    return claim?.next.owner === 'user' && claimViewOf(claim, view, now).state !== 'unknown';
  }).length;
  const pages = useMemo(() => pagesFor(session, silent, needing), [session, silent, needing]);
  const services = (list.data ?? []).flatMap((ref) => {
    const claim = view.claims.get(ref);
    if (claim === undefined) return [];
    const { state } = claimViewOf(claim, view, now);
    if (state !== claim.state) return [{ ref, state, says: 'Not known now.' }];
    const { serving, desired, message } = claim;
    const isOther = serving !== null && serving.revision !== desired.revision;
    const serves = isOther && servingNow(view, ref, serving, now).isFresh;
    const title = message.title.replace(/\.$/, '');
    return [{ ref, state, says: serves ? `${title}. r${serving.revision} still serves.` : message.title }];
  });
  const opened = current === null ? null : decodeURIComponent(current);
  const subject = serviceInQuestion(typed, { services, current: opened });
  const back = useRollbackGoal(subject, subject === null ? undefined : view.claims.get(subject));
  const words = wordsOf(typed);
  const groups = paletteGroups(typed, {
    services,
    current: opened,
    isPast: new URLSearchParams(location.search).has('at'),
    rollbackOf: (ref) => (ref === subject ? back : null),
    buttonsOf: (ref) => {
      const claim = view.claims.get(ref);
      return claim === undefined ? null : buttonsOf(claim, mayAct, true);
    },
    claimOf: (ref) => view.claims.get(ref),
    stepOf: (ref) => {
      const claim = view.claims.get(ref);
      if (claim === undefined || !claimViewOf(claim, view, now).isLive) return null;
      const { serving, desired } = claim;
      const isOtherServing =
        serving !== null &&
        serving.revision !== desired.revision &&
        servingNow(view, ref, serving, now).isFresh;
      const buttons = buttonsOf(claim, mayAct, true);
      const step = nextStepOf(claim, buttons, hasRoleAtLeast(session, 'operator'), isOtherServing);
      // Who may only read is led to no fix, as on the page of the service.
      return step?.kind === 'deploy' && !mayAct ? null : step;
    },
    pages,
  });
  const items = groups.flatMap((group) => group.items);
  const at =
    items[chosen]?.address === null ? nextChoice(items, chosen, 1) : Math.min(chosen, items.length - 1);
  const optionId = (item: PaletteItem) => `${id} ${item.id}`.replaceAll(/[^\w-]/g, '_');
  const here = items[at];
  const open = (item: PaletteItem | undefined, inNewTab: boolean) => {
    if (item?.address == null) return;
    onClose();
    if (inNewTab) window.open(item.address, '_blank', 'noopener');
    else go(item.address);
  };
  const onKey = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === 'ArrowDown') choose(nextChoice(items, at, 1));
    else if (key === 'ArrowUp') choose(nextChoice(items, at, -1));
    else if (key === 'Enter') open(here, event.ctrlKey || event.metaKey);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    if (here !== undefined) document.getElementById(optionId(here))?.scrollIntoView({ block: 'nearest' });
  });
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Search or run a command"
      onClose={onClose}
      // A press beside it closes it; the dialog itself is the ground behind its content.
      onPointerDown={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div className="palette-box">
        <label className="palette-input">
          <Icon name="search" />
          <input
            type="text"
            role="combobox"
            aria-label="Search or run a command"
            aria-expanded="true"
            aria-controls={`${id}list`}
            aria-activedescendant={here === undefined ? undefined : optionId(here)}
            aria-autocomplete="list"
            autoComplete="off"
            spellCheck={false}
            placeholder="Service, action or page"
            value={typed}
            onChange={({ target }) => {
              onType(target.value);
              choose(0);
            }}
            onKeyDown={onKey}
          />
          <kbd>Esc</kbd>
        </label>
        <div id={`${id}list`} role="listbox" aria-label="Found" className="palette-list">
          {groups.map((group) => (
            // biome-ignore lint/a11y/useSemanticElements: a listbox groups its options by this role
            <div key={group.title} role="group" aria-label={group.title}>
              <p className="group-name" aria-hidden="true">
                {group.title}
              </p>
              {group.items.map((item) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
                // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, and names the chosen option
                <div
                  key={item.id}
                  id={optionId(item)}
                  role="option"
                  data-apart={item.isApart}
                  aria-selected={item === here}
                  aria-disabled={item.address === null}
                  onPointerMove={() => item.address !== null && choose(items.indexOf(item))}
                  onClick={(event) => open(item, event.ctrlKey || event.metaKey)}
                >
                  {item.state !== undefined && (
                    <i className={`tone-${item.state}`}>
                      <StateMark state={item.state} />
                    </i>
                  )}
                  <span>
                    {item.rest === undefined ? (
                      <Matched text={item.text} words={words} />
                    ) : (
                      <>
                        <b>
                          <Matched text={item.text} words={words} />
                        </b>
                        <span className="soft">
                          <Matched text={item.rest} words={words} />
                        </span>
                      </>
                    )}
                  </span>
                  <span className="says cut">{item.says}</span>
                  <span className="note soft">{item.note}</span>
                  {item.keys !== undefined && <kbd>{item.keys}</kbd>}
                </div>
              ))}
            </div>
          ))}
        </div>
        {items.length === 0 && (
          <p className="nothing soft" role="status">
            {list.isPending ? 'Reading the services …' : 'Nothing is called so.'}
          </p>
        )}
        <div className="palette-keys">
          <span>
            <kbd>↑</kbd> <kbd>↓</kbd> choose
          </span>
          <span>
            <kbd>Enter</kbd> open
          </span>
          <span>
            <kbd>Ctrl Enter</kbd> new tab
          </span>
          <span className="spread" />
          <span>Every action asks once more before it runs.</span>
        </div>
      </div>
    </dialog>
  );
}
