import '../styles/time-machine.css';
import type { Stop } from '../../../src/contract/presentation/life.ts';
import { TimeMachine } from '../pages/service/time/time-machine.tsx';
import { SAMPLE_NOW } from './sample-rows.ts';
import type { Specimen } from './specimen.ts';

const stop = (agoSeconds: number, to: Stop['to'], revision: number): Stop => {
  const ms = SAMPLE_NOW - agoSeconds * 1000;
  return { at: new Date(ms).toISOString(), ms, to, revision, attempt: 1 };
};

/** A revision that came to run, and one that did not. */
const STOPS: readonly Stop[] = [
  ...[stop(86_400, 'accepted', 41), stop(86_398, 'building', 41), stop(86_350, 'starting', 41)],
  ...[stop(86_340, 'running', 41), stop(360, 'accepted', 42), stop(359, 'building', 42)],
  ...[stop(270, 'starting', 42), stop(240, 'failed', 42)],
];

const Machine = ({ at }: { readonly at: Stop | null }) => (
  <main>
    <TimeMachine stops={STOPS} at={at?.at ?? null} go={() => {}} isReading={false} now={SAMPLE_NOW} />
    <div className="card">
      <h2>r42</h2>
    </div>
  </main>
);

const WIDE = { width: 1206, height: 220 };

/** The slider over the life of a service, and what it makes of the page around it. */
export const TIME_SPECIMENS: readonly Specimen[] = [
  { name: 'time-machine-now', isWide: true, frame: WIDE, content: <Machine at={null} /> },
  { name: 'time-machine-past', isWide: true, frame: WIDE, content: <Machine at={STOPS[6] ?? null} /> },
  {
    name: 'phone-time-machine-past',
    frame: { width: 360, height: 300 },
    content: <Machine at={STOPS[6] ?? null} />,
  },
];
