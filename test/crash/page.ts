import { POINTS, type Point } from './doom.ts';
import { STEPS } from './steps.ts';
import { EXPECTED, POINTS_OF } from './table.ts';

const WORDS = { nothing: 'nothing of it', done: 'all of it', either: 'all of it or nothing' } as const;

/** Deaths that other tests are about: which, where, and what is left out. */
const ELSEWHERE: readonly (readonly [string, string, string])[] = [
  [
    'F08: the holder of a command dies before its effect',
    'the simulator (`worker crashed`, `agent crashed`); `test/worker/leases.test.ts`: a worker killed in a build is replaced under the next fence',
    'kill a real agent between its lease and its first act',
  ],
  [
    'F09: it dies in the middle of its effect',
    'builds: the same test, which also finds what was left running and ends it; processes: `test/runtime/process.test.ts` opens a runtime over what was started and never written down, is on no record, or was being stopped; the simulator (`partial effect`)',
    'kill a real agent while it applies',
  ],
  [
    'F10: it dies after its effect, before it says so',
    '`src/runtime/conformance.ts`: the same under a newer fence restarts nothing, and the next to open adopts; `test/agent/processes.test.ts` and `test/up/up.test.ts`: after a SIGKILL apps are adopted; the simulator (`effect without a record`)',
    'kill a real agent between effect and evidence',
  ],
  [
    'F14: the process of a stream dies after a commit, before it tells of it',
    '`test/server/streams.test.ts`: after a SIGKILL of the server a stream resumes without gap or repetition, on both databases; the readers of the races above',
    'aim the SIGKILL between commit and telling: it comes after an event that was told',
  ],
];

/** docs/crash-points.md, from the same tables that the tests run. */
export function page(): string {
  const points = (Object.keys(POINTS) as Point[]).map((point) =>
    row([
      point,
      POINTS[point],
      WORDS[EXPECTED[point]],
      POINTS_OF.sqlite.includes(point) ? 'yes' : 'in the race',
      POINTS_OF.postgres.includes(point) ? 'yes' : 'as `sent`',
    ]),
  );
  const steps = STEPS.map(({ name, from, to, again, faults }) =>
    row([name, from ? `\`${from}\`` : 'nothing', `\`${to}\``, again, faults]),
  );
  const deaths = STEPS.length * (POINTS_OF.sqlite.length + POINTS_OF.postgres.length);
  return `# Crash points

Every durable step of the path is taken by a process of its own that is killed by SIGKILL at each of the points below, on SQLite and on PostgreSQL: ${deaths} deaths. Then the store is opened again, the same call is repeated with the same key, id or instance, and from either side of the commit the story goes on to \`running\` (or \`stopped\`, where that was asked for).

What is compared is a run in memory in which nobody dies. After the restart the claim and every row of every table are those of just before the step or of just after it; what was acknowledged is there; the repeated call gets the answer in the table; at the end every row is the same, byte for byte. At each opening the positions of the org are complete and unique (S10), the facts are what the ledger gives (S9), and the claim rests on what it cites (S14).

This page is made from the tables that the tests run: \`npx vitest run test/crash/control.test.ts -u\` writes it, and without \`-u\` the test fails when it is out of date. \`npx vitest run test/crash\` prints what each restart found.

## Points
${row(['point', 'the process dies', 'a restart finds', 'SQLite', 'PostgreSQL'])}
${rule(5)}
${points.join('\n')}

On SQLite nobody can send COMMIT without waiting for it; there the process is killed from outside at whatever instant it has reached, which may be inside COMMIT, while it serves many callers: \`test/crash/race/sqlite.test.ts\`. On PostgreSQL several processes race and are killed in \`test/crash/race/postgres.test.ts\`. In both, readers that poll from a position (and are killed too) see every position once and in order. Opening an empty database is killed while it makes its tables (F15).

## Steps
${row(['step', 'claim before', 'claim after', 'asked again after it was committed', 'faults'])}
${rule(5)}
${steps.join('\n')}

## Retention
Moving out writes a page of rows into a file, flushes it, and then takes it away in one transaction (F16). \`test/crash/retention.test.ts\` kills that transaction at \`before\`, \`between\`, \`unsent\` and \`sent\` or \`committed\`, for a page of the ledger and for a revision with its attempts, on both databases: the claim is the one of before, the facts are what the ledger gives, what is gone from the store is in the file, and a second run leaves the rows that a run leaves in which nobody dies. A page that was written and not taken away is in the file twice.

## Elsewhere
These deaths are not in the table, because they are of processes that act on the world or watch:

${row(['fault', 'where it is tested', 'what no test does'])}
${rule(3)}
${ELSEWHERE.map((cells) => row(cells)).join('\n')}
`;
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const rule = (columns: number) => row(Array.from({ length: columns }, () => '---'));
