import { Platform } from '../verbs/driver.ts';
import { answerOf } from './control.ts';
import { die } from './die.ts';
import { arm, Doomed, listenToDrivers, type Point } from './doom.ts';
import { openAt, type Place } from './place.ts';
import { type Own, own } from './race/owner.ts';
import { type Read, read } from './race/reader.ts';
import { type Write, write } from './race/writer.ts';
import { type Retain, retain } from './retain.ts';
import { liveFor, say } from './say.ts';
import { STEPS } from './steps.ts';

/** What a child process is asked to do; it answers line by line, each before it goes on. */
export type Job = TakeStep | Open | Retain | Write | Read | Own;

interface TakeStep {
  readonly do: 'step';
  readonly step: string;
  readonly point: Point;
  readonly at: Place;
  readonly now: number;
}

/** Opens an empty database, and dies while it makes the tables (F15). */
interface Open {
  readonly do: 'open';
  readonly point: Point;
  readonly at: Place;
}

async function takeStep({ step: name, point, at, now }: TakeStep): Promise<void> {
  const step = STEPS.find((s) => s.name === name);
  if (step === undefined) throw new Error(`no step ${name}`);
  listenToDrivers();
  const store = await openAt(at, () => now);
  const doomed = new Doomed(store, step.transaction ?? 1, () => arm(point));
  say(await answerOf(step, new Platform(doomed, { now })));
  if (point === 'answered') die();
}

async function open({ point, at }: Open): Promise<void> {
  listenToDrivers();
  arm(point);
  await openAt(at);
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
if ('lines' in job) liveFor(job.lines);
run(job).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
