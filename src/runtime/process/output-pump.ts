import { execFile, spawn } from 'node:child_process';
import { chownSync, closeSync, constants, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { machinePath } from '../../artifact/launcher.ts';
import type { AppUser } from './app-users.ts';
import { identify, isAlive, type ProcessId, signalGroup } from './proc.ts';

const PIPE = 'out';
const PUMP = 'pump.json';
/** The lines that were dropped in all, as the pump counts them. */
export const DROPPED = 'output.dropped';
export const outputSegment = (segment: number) => `output.${segment}.log`;

/** A segment is full at this size; one read more may be in it. */
const SEGMENT_BYTES = 4 * 1024 ** 2;
/** Segments that are kept, the one in hand included. Older ones are dropped, whether they were read or not. */
const KEPT_SEGMENTS = 4;
/** The time a pump has to write down what its app wrote last. */
const ENDS_MS = 1_000;
const POLL_MS = 10;

/**
 * Reads the pipe until nobody holds it open, and writes segments `output.N.log`. What it drops it counts. An app that
 * fills a segment within a second is held up for a moment after each: it gets no more of disk and processors than that
 * (F121). On a full disk it drops lines instead of holding up the app. `dd` passes each write on at once, where `head`
 * would gather them.
 */
const SCRIPT = `
umask 077
home=$1 i=$2 size=0
cd "$home" || exit
dropped=$(cat ${DROPPED} 2>/dev/null || echo 0)
count() {
  dropped=$((dropped + $1))
  echo "$dropped" > ${DROPPED}.tmp && mv ${DROPPED}.tmp ${DROPPED}
}
while [ -p "$home/${PIPE}" ]; do
  began=$(date +%s)
  dd bs=16384 count=256 >> "output.$i.log" 2>/dev/null
  status=$?
  before=$size
  size=$(wc -c < "output.$i.log" || echo 0)
  if [ "$size" -le "$before" ]; then
    [ $status -eq 0 ] && rm -f ${PUMP} && exit
    count "$(dd bs=16384 count=64 2>/dev/null | wc -l)"
    sleep 0.1
  fi
  if [ "$size" -ge ${SEGMENT_BYTES} ]; then
    oldest=$((i - ${KEPT_SEGMENTS - 1})) i=$((i + 1)) size=0
    if mv "output.$oldest.log" output.old 2>/dev/null; then
      count "$(wc -l < output.old)"
      rm -f output.old
    fi
    [ "$(date +%s)" = "$began" ] && sleep 0.1
  fi
done
`;

/**
 * Takes the output of an instance from a pipe into files of bounded size. It is a process of its own, because an app
 * outlives the agent and must never wait for the next one: with the agent away, the oldest lines are dropped. The app
 * holds the reading end of the pipe too, so that the death of a pump is no SIGPIPE; the next look at the output starts
 * another.
 *
 * Rejected: a file that the app itself writes to. Nothing keeps it from filling the disk while no agent runs, and it is
 * written faster than anybody can cut it (F121).
 */
export class OutputPump {
  readonly #home: string;

  constructor(home: string) {
    this.#home = home;
  }

  /** Starts a pump, and gives the end of the pipe that the app writes to; the caller closes it. */
  async open(firstSegment: number, user: AppUser | null): Promise<number> {
    await this.#end();
    const pipe = join(this.#home, PIPE);
    if (!existsSync(pipe)) await promisify(execFile)('mkfifo', ['-m', '600', pipe]);
    // Its user may open it again, as programs do that write to /dev/stdout.
    if (user !== null) chownSync(pipe, user.uid, user.gid);
    return this.#start(firstSegment);
  }

  /** Starts another pump for an app that runs and whose pump was killed. */
  revive(firstSegment: number): void {
    closeSync(this.#start(firstSegment));
  }

  /** True while something may still be written to the files. */
  get isAlive(): boolean {
    const id = this.#id();
    return id !== null && isAlive(id);
  }

  /** True if it has not ended by itself: it removes its record when nobody holds the pipe any more. */
  get wasKilled(): boolean {
    const id = this.#id();
    return id !== null && !isAlive(id);
  }

  /** When it resolves, nothing is written any more. */
  async kill(): Promise<void> {
    const id = this.#id();
    if (id === null || !isAlive(id)) return;
    signalGroup(id.pid, 'SIGKILL');
    for (let ms = ENDS_MS; ms > 0 && isAlive(id); ms -= POLL_MS) await wait(POLL_MS);
  }

  /** Opened for both, a pipe is open at once; then it has a writer, and opening it for reading does not wait either. */
  #start(firstSegment: number): number {
    const pipe = join(this.#home, PIPE);
    const writer = openSync(pipe, constants.O_RDWR);
    const reader = openSync(pipe, constants.O_RDONLY);
    try {
      const child = spawn('sh', ['-c', SCRIPT, 'evident-output', this.#home, String(firstSegment)], {
        cwd: '/',
        env: { PATH: machinePath(process.env.PATH), LC_ALL: 'C' },
        detached: true,
        stdio: [reader, 'ignore', 'ignore'],
      });
      child.on('error', () => {});
      child.unref();
      const id = child.pid === undefined ? null : identify(child.pid);
      writeFileSync(join(this.#home, PUMP), JSON.stringify(id), { mode: 0o600 });
    } finally {
      closeSync(reader);
    }
    return writer;
  }

  /** A pump ends by itself when nobody holds its pipe; one that does not has a process that escaped. */
  async #end(): Promise<void> {
    for (let ms = ENDS_MS; ms > 0 && this.isAlive; ms -= POLL_MS) await wait(POLL_MS);
    await this.kill();
  }

  #id(): ProcessId | null {
    try {
      return JSON.parse(readFileSync(join(this.#home, PUMP), 'utf8')) as ProcessId | null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }
}
