import { Platform } from '../verbs/driver.ts';
import { answerOf } from './control.ts';
import { die } from './die.ts';
import { HookedStore, hookDrivers, type Point, setKillPoint } from './kill-points.ts';
import { openStore, type StoreLocation } from './open-store.ts';
import { dieAfterLines, printLine } from './print-line.ts';
import { type Own, own } from './race/owner.ts';
import { type Read, read } from './race/reader.ts';
import { type Write, write } from './race/writer.ts';
import { type Retain, retain } from './retain.ts';
import { STEPS } from './steps.ts';

/** The work of a child process. It prints each answer as one line before it continues. */
export type Job = TakeStep | Open | Retain | Write | Read | Own;

interface TakeStep {
  readonly do: 'step';
  readonly step: string;
  readonly point: Point;
  readonly at: StoreLocation;
  readonly now: number;
}

/** Opens an empty database, and is killed while it creates the tables (F15). */
interface Open {
  readonly do: 'open';
  readonly point: Point;
  readonly at: StoreLocation;
}

async function takeStep({ step: name, point, at, now }: TakeStep): Promise<void> {
  const step = STEPS.find((s) => s.name === name);
  if (step === undefined) throw new Error(`no step ${name}`);
  hookDrivers();
  const store = await openStore(at, () => now);
  const hooked = new HookedStore(store, step.transaction ?? 1, () => setKillPoint(point));
  printLine(await answerOf(step, new Platform(hooked, { now })));
  if (point === 'answered') die();
}

async function open({ point, at }: Open): Promise<void> {
  hookDrivers();
  setKillPoint(point);
  await openStore(at);
}

function run(job: Job): Promise<void> {
  switch (job.do) {
    case 'step':
      return takeStep(job);
    case 'open':
      return open(job);
    case 'retain':
      return retain(job);
    case 'write':
      return write(job);
    case 'read':
      return read(job);
    case 'own':
      return own(job);
  }
}

const job = JSON.parse(process.argv[2] ?? '') as Job;
if ('lines' in job) dieAfterLines(job.lines);
run(job).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
