import '../../styles/palette.css';
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { Icon } from '../icon.tsx';
import { StateMark } from '../state-mark.tsx';
import { Matched } from './matched.tsx';
import { isActionAlone, nextChoice, type PaletteGroup, type PaletteItem } from './palette-items.ts';
import { wordsOf } from './typed-words.ts';

interface Props {
  readonly groups: readonly PaletteGroup[];
  readonly typed: string;
  /** The services are not read yet. */
  readonly isReading: boolean;
  readonly onType: (typed: string) => void;
  readonly onOpen: (address: string, inNewTab: boolean) => void;
  readonly onClose: () => void;
}

/** What was found as a list that keys walk; the field keeps the focus. */
export function PaletteBox({ groups, typed, isReading, onType, onOpen, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [chosen, choose] = useState(0);
  // Before the next key: a letter typed meanwhile would find no field.
  useLayoutEffect(() => {
    dialog.current?.showModal();
    const input = dialog.current?.querySelector('input');
    input?.setSelectionRange(input.value.length, input.value.length);
  }, []);
  const words = wordsOf(typed);
  const items = groups.flatMap((group) => group.items);
  const at =
    items[chosen]?.address === null ? nextChoice(items, chosen, 1) : Math.min(chosen, items.length - 1);
  const optionId = (item: PaletteItem) => `${id} ${item.id}`.replaceAll(/[^\w-]/g, '_');
  const here = items[at];
  const open = (item: PaletteItem | undefined, inNewTab: boolean) => {
    if (item?.address == null) return;
    onClose();
    onOpen(item.address, inNewTab);
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
            {isReading
              ? 'Reading the services …'
              : isActionAlone(typed)
                ? 'With which service? Type its name, too.'
                : 'Nothing is called so.'}
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
