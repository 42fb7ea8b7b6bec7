import { Agent, request } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { observedUntil } from '../../src/runtime/conformance.ts';
import type { ProcessRuntime } from '../../src/runtime/process/runtime.ts';
import { ProcessLab } from './process-lab.ts';

/** Answers after a moment with the request's body, and ends at once on SIGTERM: nothing of it helps the router. */
const SLOW = `
const { createServer } = require('node:http');
createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk)).on('end', () => setTimeout(() => {
    res.setHeader('revision', process.env.EVIDENT_REVISION);
    res.end(Buffer.concat(chunks));
  }, Math.random() * 15));
}).listen(process.env.PORT);
process.on('SIGTERM', () => process.exit(0));
`;

const ENOUGH = 6_000;
const SWITCHES = 4;

let lab: ProcessLab | null = null;
let runtime: ProcessRuntime | null = null;
afterEach(async () => {
  await runtime?.close();
  await lab?.end();
});

it('the router loses none of thousands of requests during a switch', { timeout: 240_000 }, async () => {
  lab = await ProcessLab.new();
  // Long times: probes and requests in hand that are slow because the machine is busy must not fail here.
  const opened = await lab.openWithRouter({ probeTimeoutMs: 60_000, drainMs: 60_000 });
  runtime = opened.runtime;
  const { port } = opened.router;
  const artifact = await lab.keep({ 'web.js': SLOW });
  const deploy = async (revision: number) => {
    const spec = { command: ['node', 'web.js'], port: 3000, replicas: 2 };
    const stamp = { revision, attempt: 1, fence: '1' };
    await opened.runtime.apply(
      { service: 'web@lab', stamp, artifact, spec, accepts: [] },
      new AbortController().signal,
    );
    await observedUntil(
      opened.runtime,
      ({ instances }) => instances.length === 2 && instances.every((i) => i.ready && i.revision === revision),
    );
  };
  await deploy(1);

  let done = false;
  const answersByRevision = new Map<string, number>();
  const lost: string[] = [];
  const agent = new Agent({ keepAlive: true });
  const client = async (n: number) => {
    for (let count = 0; !done; count += 1) {
      const body = count % 3 === 0 ? '' : `${n}/${count} ${'x'.repeat(count % 2 === 0 ? 10 : 20_000)}`;
      const answer = await send(port, body, agent).catch((error: Error) => error.message);
      if (typeof answer === 'string') lost.push(answer);
      else if (answer.status !== 200 || answer.body !== body)
        lost.push(`${answer.status} ${answer.body.slice(0, 80)}`);
      else answersByRevision.set(answer.revision, (answersByRevision.get(answer.revision) ?? 0) + 1);
    }
  };
  const clients = Array.from({ length: 24 }, (_, n) => client(n));
  const answered = () => [...answersByRevision.values()].reduce((sum, count) => sum + count, 0);
  for (let revision = 2; revision <= SWITCHES + 1; revision += 1) {
    const before = answered();
    await deploy(revision);
    // Waits for some answers of each revision alone, before the next replaces it.
    while (answered() < before + ENOUGH / SWITCHES) await new Promise((next) => setTimeout(next, 5));
  }
  done = true;
  await Promise.all(clients);
  agent.destroy();
  expect(lost).toEqual([]);
  expect(answered()).toBeGreaterThanOrEqual(ENOUGH);
  expect([...answersByRevision.keys()].sort()).toEqual(['1', '2', '3', '4', '5']);
});

function send(
  port: number,
  body: string,
  agent: Agent,
): Promise<{ status: number; body: string; revision: string }> {
  return new Promise((done, fail) => {
    const method = body === '' ? 'GET' : 'POST';
    const outgoing = request({ host: '127.0.0.1', port, method, agent, headers: { host: 'web.localhost' } });
    outgoing.on('error', fail);
    outgoing.on('response', (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      res.on('error', fail);
      res.on('end', () =>
        done({ status: res.statusCode ?? 0, body: text, revision: String(res.headers.revision) }),
      );
    });
    outgoing.end(body);
  });
}
