import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** A process of a soaked service, as the kernel shows it. */
export interface AppProcess {
  readonly pid: number;
  /** With the pid, one process for ever. */
  readonly startTicks: string;
  readonly service: string;
  readonly revision: number;
  readonly port: number | null;
  /** It is neither stopped nor ended. */
  readonly isRunnable: boolean;
}

type AppWords = Omit<AppProcess, 'pid' | 'startTicks' | 'isRunnable'>;

interface Seen {
  readonly startTicks: string;
  readonly firstAt: number;
  readonly words: AppWords | null;
}

/** A process shows the words of the one that starts it until it has become another program. */
const BECOMING_MS = 5_000;

/** Finds the processes of a run by their arguments: nothing that Evident writes or marks is relied on. */
export class ProcessTable {
  readonly #run: string;
  readonly #seen = new Map<number, Seen>();

  constructor(run: string) {
    this.#run = `soak=${run}`;
  }

  look(now: number): AppProcess[] {
    const found: AppProcess[] = [];
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    for (const pid of pids) {
      const stat = readOr(`/proc/${pid}/stat`);
      const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const startTicks = fields[18] ?? '';
      // A zombie is gone: only its parent has not looked yet.
      if (stat === '' || state === 'Z' || state === 'X') continue;
      const words = this.#wordsOf(pid, startTicks, now);
      if (words !== null)
        found.push({ pid, startTicks, ...words, isRunnable: state !== 'T' && state !== 't' });
    }
    const there = new Set(pids);
    for (const pid of this.#seen.keys()) if (!there.has(pid)) this.#seen.delete(pid);
    return found;
  }

  #wordsOf(pid: number, startTicks: string, now: number): AppWords | null {
    const before = this.#seen.get(pid);
    const isSame = before !== undefined && before.startTicks === startTicks;
    if (isSame && (before.words !== null || now - before.firstAt > BECOMING_MS)) return before.words;
    const words = wordsIn(pid, this.#run);
    this.#seen.set(pid, { startTicks, firstAt: isSame ? before.firstAt : now, words });
    return words;
  }
}

/** Whoever contains or launches an app has its words too: only the interpreter with the script itself counts. */
function wordsIn(pid: number, run: string): AppWords | null {
  const [, script = '', ...words] = readOr(`/proc/${pid}/cmdline`).split('\0');
  if (basename(script) !== 'app.js' || !words.includes(run)) return null;
  const own = pairsIn(words);
  const env = pairsIn(readOr(`/proc/${pid}/environ`).split('\0'));
  const port = Number(own.get('port') ?? env.get('PORT') ?? 0);
  return {
    service: own.get('service') ?? '',
    revision: Number(own.get('revision') ?? env.get('EVIDENT_REVISION') ?? 0),
    port: port === 0 ? null : port,
  };
}

const pairsIn = (words: readonly string[]) =>
  new Map(
    words.map((word): [string, string] => [
      word.slice(0, word.indexOf('=')),
      word.slice(word.indexOf('=') + 1),
    ]),
  );

/** Empty: it has ended between two looks. */
function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
