import type { SoakFleet } from '../fleet/fleet.ts';
import { during, type FaultContext, type SoakFault } from './fault.ts';

const noDatabase = ({ database }: SoakFleet) =>
  database === null ? 'SQLite has no process of its own; --store postgres has one' : null;

/** As a crash of its machine: it is away for a while, recovers, and its clients find it again. */
async function killDatabase({ fleet: { database }, wait, rng }: FaultContext): Promise<void> {
  await database?.kill();
  try {
    await wait(rng.int(200, 8_000));
  } finally {
    await database?.go();
  }
}

/** The database, and the disk of servers, agent and worker. */
export const STORAGE_FAULTS: readonly SoakFault[] = [
  { name: 'database killed', unavailable: noDatabase, run: killDatabase },
  {
    name: 'database frozen',
    unavailable: noDatabase,
    run: (context) =>
      during(
        context,
        () => context.fleet.database?.freeze(),
        () => context.fleet.database?.thaw(),
      ),
  },
  {
    name: 'disk full',
    unavailable: ({ disk }) => disk.why,
    run: (context) =>
      during(
        context,
        () => context.fleet.disk.room?.fill(),
        () => context.fleet.disk.room?.free(),
      ),
  },
];
