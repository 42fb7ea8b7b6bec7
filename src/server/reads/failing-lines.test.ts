import { expect, it } from 'vitest';
import { sampleClaim } from '../../../test/cli/sample-views.ts';
import type { Claim } from '../../contract/claim.ts';
import type { LogLine, LogQuery } from '../../logs/log-line.ts';
import { FailingLines } from './failing-lines.ts';

const named = (state: 'failed' | 'degraded' | 'running', service: string): Claim => ({
  ...sampleClaim(state),
  service,
});

function logsOf(lines: readonly string[]) {
  const queries: LogQuery[] = [];
  const read = async (_org: string, query: LogQuery) => {
    queries.push(query);
    const { service, stream } = query;
    const about = { service, stream, revision: 42, attempt: 1, instance: null, command: null, fence: null };
    return lines.map((line, i): LogLine => ({ ...about, epoch: null, seq: String(i), at: '', line }));
  };
  return { read, queries };
}

it('is the line that names the cause, of what failed or is degraded', async () => {
  const logs = logsOf(['listening', 'Error: REDIS_URL is not set', '    at main (server.js:3:9)', '']);
  const claims = [named('failed', 'a@lab'), named('degraded', 'b@lab'), named('running', 'c@lab')];
  const lines = await new FailingLines(logs).of({}, 'org', claims);
  expect([...lines]).toEqual([
    ['a@lab', 'Error: REDIS_URL is not set'],
    ['b@lab', 'Error: REDIS_URL is not set'],
  ]);
  expect(logs.queries.map(({ service }) => service)).toEqual(['a@lab', 'b@lab']);
});

it('is the last line where none names a cause, and short', async () => {
  const logs = logsOf(['one', `two ${'x'.repeat(1_000)}`, '  ']);
  const lines = await new FailingLines(logs).of({}, 'org', [named('failed', 'a@lab')]);
  expect(lines.get('a@lab')).toMatch(/^two x+$/);
  expect(lines.get('a@lab')).toHaveLength(300);
});

it('is read once in a while, and of few services at once', async () => {
  let now = 0;
  const logs = logsOf(['it broke']);
  const failing = new FailingLines(logs, () => now);
  const claims = Array.from({ length: 80 }, (_, i) => named('failed', `s${i}@lab`));
  expect((await failing.of({}, 'org', claims)).size).toBe(50);
  expect((await failing.of({}, 'org', claims)).size).toBe(80);
  expect(logs.queries).toHaveLength(80);
  now = 60_000;
  expect((await failing.of({}, 'org', claims)).size, 'an old line is better than none').toBe(80);
  expect(logs.queries).toHaveLength(130);
});
