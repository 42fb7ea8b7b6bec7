import { AGENT_FAULTS, AGENT_POINTS, type AgentPoint } from './agent-points.ts';
import { POINTS, type Point } from './kill-points.ts';
import { EXPECTED, POINTS_OF } from './results.ts';
import { STEPS } from './steps.ts';

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
  const kills = STEPS.length * (POINTS_OF.sqlite.length + POINTS_OF.postgres.length);
  return `# Crash points

For every durable step of a deployment, a process is started that takes the step and is killed by SIGKILL at each of the points below, on SQLite and on PostgreSQL: ${kills} kills. Then the store is opened again, the same call is repeated with the same key, id or instance, and the deployment goes on to \`running\` (or \`stopped\`, for a teardown).

The result is compared with a run in memory without a kill. After the restart the claim and every row of every table are those of just before the step or of just after it. Every acknowledged write is there. The repeated call gets the answer in the table. At the end every row is the same, byte for byte. At each opening the positions of the org are complete and unique (S10), the facts equal the ledger (S9), and the evidence that the claim cites suffices for it (S14).

This page is written from the tables that the tests run: \`npx vitest run test/crash/control.test.ts -u\` writes it, and without \`-u\` the test fails when it is out of date. \`npx vitest run test/crash\` prints what each restart found.

## Points
${row(['point', 'the process dies', 'a restart finds', 'SQLite', 'PostgreSQL'])}
${rule(5)}
${points.join('\n')}

On SQLite COMMIT cannot be sent without waiting for it. There the process is also killed from outside at a random instant, which may be inside COMMIT, while it serves many callers (\`test/crash/race/sqlite.test.ts\`). On PostgreSQL several processes race and are killed (\`test/crash/race/postgres.test.ts\`). In both, readers that poll from a position, and are killed too, see every position once and in order. A process that opens an empty database is killed while it creates the tables (F15).

## Steps
${row(['step', 'claim before', 'claim after', 'answer to the repeated call, after the commit', 'faults'])}
${rule(5)}
${steps.join('\n')}

## Retention
Retention writes a page of rows into a file, flushes it, and then deletes the rows in one transaction (F16). \`test/crash/retention.test.ts\` kills that transaction at \`before\`, \`between\`, \`unsent\` and \`sent\` or \`committed\`, for a page of the ledger and for a revision with its attempts, on both databases: the claim is unchanged, the facts equal the ledger, what is deleted is in the file, and a second run leaves the same rows as a run without a kill. A page that was written and not deleted is in the file twice.

## Agents
The effects of an agent are no transaction. \`test/crash/agent.test.ts\` kills the real program, on a real runtime, in the middle of a command: once while it replaces the three processes of a service by those of another revision, once while it removes them, at each of these points, against a server on SQLite and one on PostgreSQL: ${AGENTS.length * 4} kills.

${row(['point', 'the agent dies when', 'fault'])}
${rule(3)}
${AGENTS.map((point) => row([point, AGENT_POINTS[point], AGENT_FAULTS[point]])).join('\n')}

While it is dead no claim says \`running\` or \`stopped\`. The next agent on the same directory goes on with the command. In the end there are three processes of the revision, or none; each was started once, and the result is submitted once. The simulator tries an agent that never comes back (\`agent crashed\`, \`partial effect\`, \`effect without a record\`). Workers are killed in their builds in \`test/worker/leases.test.ts\` (F08, F09): another worker builds under the next fence, and the processes that were left are ended.

## Streams
\`test/crash/streams.test.ts\` kills a server after a transition is committed and before the first stream sends it (F14), on both databases: a client that resumes from its last position gets that transition, once. \`test/server/streams.test.ts\` kills the server after it was sent; the readers of the races above are killed at any instant.
`;
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const rule = (columns: number) => row(Array.from({ length: columns }, () => '---'));
