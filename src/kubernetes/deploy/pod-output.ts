import { setTimeout as wait } from 'node:timers/promises';
import type { OutputLine } from '../../runtime/port.ts';
import type { ApiConnection } from '../api/connection.ts';
import { CONTAINER } from './objects.ts';

/** The line up to which the output of a pod was taken. */
export interface OutputPosition {
  readonly seq: number;
  /** By the clock of its node, to the nanosecond; a line is told from the next by it. */
  readonly at: string;
}

/** The log of a pod is read only by requests that stream. */
export type LogApi = Pick<ApiConnection, 'stream'>;

const AGAIN_MS = 1_000;
/** Nothing more is read of a pod while so many lines were not taken: its node keeps them. */
const AHEAD = 2_000;
/** A longer line is cut here (F89). */
const LONGEST_LINE = 64 * 1024;
const FIRST: OutputPosition = { seq: 0, at: '' };

/**
 * The output of one pod, in the order in which its node wrote it, and through restarts of its container. Lines are numbered
 * from the first that was read, and on from the last that was taken: after a restart of the agent the same line has the
 * same number.
 */
export class PodOutput {
  readonly #api: LogApi;
  readonly #path: string;
  readonly #ended = new AbortController();
  #taken: OutputPosition;
  #read: OutputPosition;
  #lines: (OutputLine & { readonly node: string })[] = [];
  #room: () => void = () => {};
  #isGone = false;
  #isOver = false;

  constructor(
    api: LogApi,
    pod: { readonly namespace: string; readonly name: string },
    from: OutputPosition = FIRST,
  ) {
    this.#api = api;
    this.#path = `/api/v1/namespaces/${pod.namespace}/pods/${pod.name}/log`;
    this.#taken = from;
    this.#read = from;
    void this.#follow();
  }

  get position(): OutputPosition {
    return this.#taken;
  }

  /** Nothing of it is left to be taken, and nothing will come. */
  get isOver(): boolean {
    return this.#isOver && this.#lines.length === 0;
  }

  /** The pod is gone: what its node still sends is read, and then no more is asked for. */
  gone(): void {
    this.#isGone = true;
  }

  next(maxLines: number): readonly OutputLine[] {
    return this.#lines.slice(0, maxLines).map(({ seq, at, line }) => ({ seq, at, line }));
  }

  take(lines: readonly OutputLine[]): void {
    const last = lines.at(-1)?.seq ?? 0;
    const taken = this.#lines.findLast(({ seq }) => seq <= last);
    if (taken === undefined) return;
    this.#taken = { seq: taken.seq, at: taken.node };
    this.#lines = this.#lines.filter(({ seq }) => seq > last);
    this.#room();
  }

  end(): void {
    this.#ended.abort(new Error('the output is no longer followed'));
    this.#room();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ended;
    // A container that ended before the first look has left its output with its node.
    await this.#readOnce({ previous: 'true' });
    while (!signal.aborted) {
      await this.#readOnce({ follow: 'true' });
      if (this.#isGone) break;
      await wait(AGAIN_MS, undefined, { signal }).catch(() => {});
    }
    this.#isOver = true;
  }

  /** Logs prove nothing: one that cannot be read now is read again. */
  async #readOnce(more: Readonly<Record<string, string>>): Promise<void> {
    const { signal } = this.#ended;
    const query = new URLSearchParams({ container: CONTAINER, timestamps: 'true', ...more });
    // To the second: what was read of that second is told by its own instant.
    if (this.#read.at !== '') query.set('sinceTime', this.#read.at.replace(/\..*/, 'Z'));
    try {
      const { body } = await this.#api.stream(`${this.#path}?${query}`, { signal, accept: '*/*' });
      for await (const line of linesOf(body)) {
        await this.#untilRoom();
        signal.throwIfAborted();
        this.#add(line);
      }
    } catch {
      // It has not started, it has no container before this one, or the way to its node broke.
    }
  }

  #add(text: string): void {
    const space = text.indexOf(' ');
    const node = space < 0 ? text : text.slice(0, space);
    const at = Date.parse(node);
    if (Number.isNaN(at) || orderOf(node) <= orderOf(this.#read.at)) return;
    const seq = this.#read.seq + 1;
    this.#read = { seq, at: node };
    this.#lines.push({ seq, at, node, line: space < 0 ? '' : text.slice(space + 1) });
  }

  async #untilRoom(): Promise<void> {
    while (this.#lines.length >= AHEAD && !this.#ended.signal.aborted)
      await new Promise<void>((done) => {
        this.#room = done;
      });
  }
}

/** Nodes leave out zeros at the end of a fraction: as text, `.1Z` would come after `.15Z`. */
function orderOf(at: string): string {
  const [, whole = '', fraction = ''] = /^([^.Z]*)(?:\.(\d+))?Z?$/.exec(at) ?? [];
  return `${whole}.${fraction.padEnd(9, '0')}`;
}

async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) rest = rest.slice(0, LONGEST_LINE);
    for (const line of lines) yield line.slice(0, LONGEST_LINE);
  }
  if (rest !== '') yield rest;
}
