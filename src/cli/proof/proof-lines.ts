import type { Claim } from '../../contract/claim.ts';
import { requestedBy } from '../../contract/presentation/about.ts';
import { type FailureOutput, isHeadline } from '../../contract/presentation/error-lines/failure-output.ts';
import { beyondTitle, statement, whoseMove } from '../../contract/presentation/moves.ts';
import { serverNowOf, servingNow, silenceMs } from '../../contract/presentation/server-contact.ts';
import { ago, bytes, span } from '../../contract/presentation/times.ts';
import { wordOf } from '../../contract/presentation/words.ts';
import type { State } from '../../contract/vocabulary.ts';
import { fitted, type StyledLine, type StyledText, type Tone, widthOf, wrap } from './line.ts';
import { nextCommandLines } from './next-step.ts';
import { isActive, isLive, type ProofView, timeInState } from './view.ts';

interface ScreenFrame {
  /** Now, by this process's monotonic clock. */
  readonly now: number;
  readonly width: number;
  readonly failure?: FailureOutput | null;
  /** The last lines of the build, shown while it is made. */
  readonly output?: readonly string[];
}

const MARKS: Readonly<Record<State, readonly [glyph: string, tone: Tone]>> = {
  accepted: ['●', 'busy'],
  waiting_for_worker: ['●', 'busy'],
  building: ['●', 'busy'],
  artifact_ready: ['●', 'busy'],
  applying_runtime_state: ['●', 'busy'],
  starting: ['●', 'busy'],
  running: ['✓', 'good'],
  degraded: ['!', 'doubt'],
  failed: ['✗', 'bad'],
  cancelling: ['●', 'busy'],
  cancelled: ['–', 'quiet'],
  stopping: ['●', 'busy'],
  stopped: ['✓', 'good'],
  unknown: ['?', 'doubt'],
};
const LAST_KNOWN = ['?', 'doubt'] as const;

/** The mark of a state. A claim that is no longer fresh gets the mark of doubt, whatever its state (S2). */
export const markOf = (state: State, live = true) => (live ? MARKS[state] : LAST_KNOWN);

const WORD_COLUMNS = 24;
const TIME_COLUMNS = 9;
/** On a narrower terminal the note of a step stands below it. */
const NARROW = 60;

/** The live proof line as a pure function: view and frame (now, width) in, lines out. */
export function proofLines(view: ProofView, frame: ScreenFrame): StyledLine[] {
  const { width } = frame;
  const below = [...verdict(view, frame), ...serving(view, frame), ...silent(view, frame)];
  const lines = [...header(view, width), ...body(view, frame), ...below];
  return lines.map((line) => fitted(line, width));
}

function header({ requested, claim, about }: ProofView, width: number): StyledLine[] {
  const left: StyledLine = [
    [claim.service, 'strong'],
    [`  r${requested.revision} · attempt ${requested.attempt}`],
  ];
  const right = requestedBy(about);
  const gap = width - widthOf(left) - [...right].length;
  if (gap < 2) return [left, [[`  ${right}`, 'quiet']]];
  return [[...left, [' '.repeat(Math.min(gap, 26))], [right, 'quiet']]];
}

function body(view: ProofView, frame: ScreenFrame): StyledLine[] {
  if (isActive(view)) return rows(view, frame);
  const { claim, requested, settled } = view;
  const other = `r${claim.desired.revision}`;
  if (settled !== null)
    return paragraph(
      `r${requested.revision} is ${settled.outcome}; ${other} is what counts now.`,
      frame.width,
    );
  const how =
    requested.revision < claim.desired.revision
      ? `${other} is requested instead`
      : `waits behind ${other}, which is ${wordOf(claim.state)}`;
  return paragraph(how, frame.width, ['●', 'busy']);
}

/** One row for each state of the path: proven, current, or still to come. */
function rows(view: ProofView, frame: ScreenFrame): StyledLine[] {
  const { about, claim } = view;
  return claim.path.flatMap(({ state, reached, current }, i) => {
    if (current) return [...currentRow(view, state, frame), ...building(view, frame)];
    if (reached)
      return row(['✓', 'good'], state, timeInState(view, state, frame.now), doneNote(view, state), frame);
    const note = i === claim.path.length - 1 ? about.needs : '';
    return row([' ', 'quiet'], state, null, note, frame);
  });
}

/** Each line of the build in one line, cut at the right. */
function building({ claim }: ProofView, { output = [] }: ScreenFrame): StyledLine[] {
  return claim.state === 'building' ? output.map((line) => [['  '], ...outputLine(line)]) : [];
}

/** A line of an output beside our own. */
export const outputLine = (line: string): StyledLine => [
  ['  │ ', 'quiet'],
  [line, 'quiet'],
];

const isFine = ({ state }: Claim) => state === 'running' || state === 'stopped';

function currentRow(view: ProofView, state: State, frame: ScreenFrame): StyledLine[] {
  const { claim } = view;
  const live = isLive(view, frame.now);
  const isEnd = state === claim.state && (state === 'running' || state === 'stopped');
  const isOver = claim.state === 'failed' || claim.state === 'cancelled';
  const ms = isEnd ? null : timeInState(view, isOver ? state : claim.state, frame.now);
  const note = noteOf(view, state, frame.now);
  return row(markOf(claim.state, live), state, ms, live ? note : `last known: ${note}`, frame, 'plain');
}

/** The note of the current step: the state where it differs from the step, and why; the verdict below says why itself. */
function noteOf(view: ProofView, step: State, now: number): string {
  const { claim, settled } = view;
  if (settled !== null && !isFine(claim)) return endNote(view, now);
  const why = whyOf(view, now);
  return claim.state === step ? why : `${wordOf(claim.state)}: ${why}`;
}

function endNote(view: ProofView, now: number): string {
  const { state, lastKnown } = view.claim;
  if (state !== 'unknown' || lastKnown === null) return wordOf(state);
  return `unknown: last known ${wordOf(lastKnown.state)}, ${ago(serverNowOf(view, now) - Date.parse(lastKnown.at))}`;
}

function whyOf(view: ProofView, now: number): string {
  const { claim } = view;
  if (claim.state === 'accepted') return 'intent and command recorded';
  if (claim.state === 'failed' || claim.state === 'cancelled') return claim.message.title;
  const { steps } = view.about.build;
  const isHeard = claim.cause?.code !== 'holder_silent';
  if (claim.state === 'building' && steps.length > 0 && isHeard) return steps.join(', ');
  const why = statement(claim, serverNowOf(view, now)) || claim.message.title;
  if (claim.state !== 'unknown' || claim.lastKnown === null) return why;
  const age = serverNowOf(view, now) - Date.parse(claim.lastKnown.at);
  return `last known ${wordOf(claim.lastKnown.state)}, ${ago(age)}. ${why.split(/(?<=\.) /)[0]}`;
}

/** The note of a step that is done. */
function doneNote({ claim, about, holders }: ProofView, state: State): string {
  if (state === 'accepted') return 'intent and command recorded';
  if (state === 'waiting_for_worker') {
    const next = claim.path[claim.path.findIndex((step) => step.state === state) + 1];
    const taker = holders[next?.state ?? state];
    return taker === undefined ? '' : `${taker} took it`;
  }
  if (state === 'applying_runtime_state') return holders[state] ?? '';
  const { steps, size } = about.build;
  if (state === 'building') return steps.join(', ');
  const { artifact } = claim.desired;
  if (state === 'artifact_ready' && artifact !== null)
    return size === null ? short(artifact) : `${short(artifact)} ${bytes(size)}`;
  return '';
}

const short = (artifact: string) => artifact.replace(/(sha256:[0-9a-f]{12})[0-9a-f]+/, '$1…');

function row(
  [glyph, tone]: readonly [string, Tone],
  state: State,
  ms: number | null,
  note: string,
  { width }: ScreenFrame,
  noteTone: Tone = 'quiet',
): StyledLine[] {
  const word: StyledText = [wordOf(state), tone === 'quiet' && glyph === ' ' ? 'quiet' : 'plain'];
  const time = ms === null ? '' : span(ms);
  if (width < NARROW) {
    const first: StyledLine = [['  '], [glyph, tone], [' '], word, [time === '' ? '' : `  ${time}`, 'quiet']];
    const under = noteTone === 'plain' ? wrap(note, width - 6) : [];
    return [first, ...under.map((text): StyledLine => [['      '], [text]])];
  }
  const indent = 4 + WORD_COLUMNS + TIME_COLUMNS;
  const [head = '', ...rest] = wrap(note, width - indent);
  const first: StyledLine = [
    ['  '],
    [glyph, tone],
    [' '],
    [word[0].padEnd(WORD_COLUMNS), word[1] ?? 'plain'],
    [time.padEnd(TIME_COLUMNS), 'quiet'],
    [head, noteTone],
  ];
  return [first, ...rest.map((text): StyledLine => [[' '.repeat(indent)], [text, noteTone]])];
}

/**
 * For a settled attempt that did not come true: the lines of its output that say why, what happened, whose move it is,
 * the commands to type. Before that, only whose move it is.
 */
function verdict(view: ProofView, { width, failure = null }: ScreenFrame): StyledLine[] {
  const { claim, settled } = view;
  if (isFine(claim) || !isActive(view) || (settled === null && claim.next.action === null)) return [];
  const move = paragraph(whoseMove(claim), width);
  const commands = nextLines(claim);
  const next = commands.length === 0 ? [] : [[], ...commands];
  if (settled === null) return [[], ...move, ...next];
  const output = (failure?.lines ?? []).flatMap((text) =>
    logLines(text, width - 4, failure !== null && isHeadline(failure, text) ? 'strong' : 'plain'),
  );
  return [
    [],
    ...paragraph(claim.message.title, width, markOf(claim.state)),
    ...(output.length === 0 ? [] : [...output, []]),
    ...paragraph(beyondTitle(claim), width),
    ...move,
    ...next,
  ];
}

/** The commands to type next, one below the other. */
export function nextLines(claim: Claim, indent = ''): StyledLine[] {
  return nextCommandLines(claim).map(
    (command, i): StyledLine => [[`${indent}${i === 0 ? 'next' : 'then'}: `], [command, 'strong']],
  );
}

/** Log text in as many lines as it takes, unchanged: its end often matters most. */
function logLines(text: string, width: number, tone: Tone): StyledLine[] {
  const points = [...text];
  const room = Math.max(1, width);
  const lines = Array.from({ length: Math.max(1, Math.ceil(points.length / room)) }, (_, i) =>
    points.slice(i * room, (i + 1) * room).join(''),
  );
  return lines.map(
    (line): StyledLine => [
      ['  │ ', 'quiet'],
      [line, tone],
    ],
  );
}

function paragraph(text: string, width: number, mark?: readonly [string, Tone]): StyledLine[] {
  return wrap(text, width - 4).map((line, i): StyledLine => {
    if (mark === undefined || i > 0) return [[mark === undefined ? '  ' : '    '], [line]];
    return [['  '], mark, [' '], [line, 'strong']];
  });
}

/** The revision that still serves while another is in progress or has failed, or did when last seen (F116). */
function serving(view: ProofView, { now }: ScreenFrame): StyledLine[] {
  const { claim, requested } = view;
  const { serving, lastServing } = claim;
  if (serving === null) {
    if (lastServing === null || lastServing.revision === requested.revision) return [];
    const seen = ago(serverNowOf(view, now) - Date.parse(lastServing.asOf));
    return [[], [[`r${lastServing.revision} was serving when last seen, ${seen}`, 'doubt']]];
  }
  if (serving.revision === requested.revision) return [];
  const { asOf, isFresh } = servingNow(view, claim.service, serving, now);
  const observed = `seen ${ago(serverNowOf(view, now) - asOf)}`;
  const text = isFresh
    ? `still serving r${serving.revision} (${observed})`
    : `r${serving.revision} was serving when last known (${observed})`;
  return [[], [[text, isFresh ? 'good' : 'doubt']]];
}

function silent(view: ProofView, { now, width }: ScreenFrame): StyledLine[] {
  const ms = view.settled === null ? silenceMs(view, now) : null;
  if (ms === null) return [];
  const text = `no word from the server for ${ago(ms).replace(' ago', '')}: this is what was last known`;
  return [[], ...wrap(text, width).map((line): StyledLine => [[line, 'doubt']])];
}
