import { POINTS, type Point } from './doom.ts';
import { STEPS } from './steps.ts';
import { EXPECTED, POINTS_OF } from './table.ts';

const WORDS = { nothing: 'nothing of it', done: 'all of it', either: 'all of it or nothing' } as const;

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

Not here: what a worker or agent does to the world between its calls (F08, F09, and the effect itself in F10) needs a runtime; the stream's process (F14) has only its reading verb so far; retention (F16).
`;
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const rule = (columns: number) => row(Array.from({ length: columns }, () => '---'));
