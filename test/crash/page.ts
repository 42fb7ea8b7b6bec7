import { AGENT_FAULTS, AGENT_POINTS, type AgentPoint } from './agent-points.ts';
import { POINTS, type Point } from './doom.ts';
import { STEPS } from './steps.ts';
import { EXPECTED, POINTS_OF } from './table.ts';

const WORDS = { nothing: 'nothing of it', done: 'all of it', either: 'all of it or nothing' } as const;

const AGENTS = Object.keys(AGENT_POINTS) as AgentPoint[];

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

## Agents
What an agent does to the world is no transaction. \`test/crash/agent.test.ts\` kills the real program, on a real runtime, in the middle of a command: once while it replaces the three processes of a service by those of another revision, once while it removes them, at each of these points, against a server on SQLite and one on PostgreSQL: ${AGENTS.length * 4} deaths.

${row(['point', 'the agent dies when', 'fault'])}
${rule(3)}
${AGENTS.map((point) => row([point, AGENT_POINTS[point], AGENT_FAULTS[point]])).join('\n')}

While it is dead no claim says \`running\` or \`stopped\`. The next agent on the same directory takes the command up, and then there are three processes of the revision, or none; each was started once; what came true is said once. An agent that never comes back is for the simulator (\`agent crashed\`, \`partial effect\`, \`effect without a record\`). Workers are killed in their builds in \`test/worker/leases.test.ts\` (F08, F09): another one builds under the next fence, and what was left running is ended.

## Streams
\`test/crash/telling.test.ts\` kills a server when a transition is committed and the first stream is about to be told of it (F14), on both databases: who comes back with the last position it saw is told of that transition, once. \`test/server/streams.test.ts\` kills it after it was told; the readers of the races above are killed at any instant.
`;
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const rule = (columns: number) => row(Array.from({ length: columns }, () => '---'));
