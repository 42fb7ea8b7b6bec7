import type { State } from '../vocabulary.ts';

/** A state in words. */
export const wordOf = (state: State) => state.replaceAll('_', ' ');

/** A state as pages label it: short, with a capital. */
const LABELS: Readonly<Record<State, string>> = {
  accepted: 'Accepted',
  waiting_for_worker: 'Queued',
  building: 'Building',
  artifact_ready: 'Built',
  applying_runtime_state: 'Applying',
  starting: 'Starting',
  running: 'Running',
  degraded: 'Degraded',
  failed: 'Failed',
  cancelling: 'Cancelling',
  cancelled: 'Cancelled',
  stopping: 'Stopping',
  stopped: 'Stopped',
  unknown: 'Unknown',
};
export const labelOf = (state: State): string => LABELS[state];

/** The label inside a sentence: `built`, which a reader knows from the page, and not `artifact ready`. */
export const shortWordOf = (state: State): string => LABELS[state].toLowerCase();

/** A label in the past: "Was starting", "Had failed at start". */
export const pastLabel = (label: string): string =>
  `${/^(?:Failed|Exited)/.test(label) ? 'Had' : 'Was'} ${label.charAt(0).toLowerCase()}${label.slice(1)}`;

/** A state as it was, in a sentence: "was starting", "had failed". */
export const wasWords = (state: State): string =>
  state === 'failed' ? 'had failed' : `was ${shortWordOf(state)}`;

/** The state and the title of its message; a word that both have stands once. */
export function titledState(state: State, title: string): string {
  const word = wordOf(state);
  const [first = ''] = title.toLowerCase().split(/[^a-z]/);
  if (word.endsWith(first)) return `${word}${title.slice(first.length)}`;
  if (title.toLowerCase().startsWith(word)) return `${word}${title.slice(word.length)}`;
  return word.startsWith(first) ? word : `${word}: ${title}`;
}
