import { expect, it, vi } from 'vitest';
import { type LogApi, PodOutput } from './pod-output.ts';

const POD = { namespace: 'apps', name: 'web-1' };
const at = (nanos: string, text: string) => `2026-01-01T00:00:0${nanos}Z ${text}\n`;

/** A node that answers each request with the chunks of its kind, and then ends it; requests without any are refused. */
function nodeWith(answers: { previous?: string[][]; follow?: string[][] }) {
  const asked: URLSearchParams[] = [];
  const api = {
    async stream(path: string) {
      const query = new URLSearchParams(path.split('?')[1]);
      asked.push(query);
      const chunks = answers[query.has('previous') ? 'previous' : 'follow']?.shift();
      if (chunks === undefined) throw new Error('the container has not started');
      async function* body() {
        for (const chunk of chunks ?? []) yield Buffer.from(chunk);
      }
      return { body: body() };
    },
  } as unknown as LogApi;
  return { api, asked };
}

const lines = async (output: PodOutput, count: number) => {
  await vi.waitFor(() => expect(output.next(100)).toHaveLength(count));
  return output.next(100).map(({ seq, line }) => `${seq} ${line}`);
};

it('numbers lines through restarts of the container, and gives them until they are taken', async () => {
  const { api } = nodeWith({
    previous: [[at('1.1', 'one')]],
    follow: [
      [at('1.15', 'tw'), ''],
      [at('1.15', 'tw'), at('2', 'three')],
    ],
  });
  const output = new PodOutput(api, POD);
  expect(await lines(output, 2)).toEqual(['1 one', '2 tw']);
  expect(output.next(1)).toMatchObject([{ seq: 1, at: Date.parse('2026-01-01T00:00:01.1Z') }]);
  output.take(output.next(2));
  expect(await lines(output, 1)).toEqual(['3 three']);
  output.end();
});

it('puts together what arrives in pieces', async () => {
  const text = at('1', 'a line — of letters');
  const bytes = Buffer.from(text);
  const { api } = nodeWith({ follow: [[text.slice(0, 5), text.slice(5)]] });
  const output = new PodOutput(api, POD);
  expect(await lines(output, 1)).toEqual(['1 a line — of letters']);
  expect(bytes.length).toBeGreaterThan(text.length);
  output.end();
});

it('goes on after the last line that was taken, under the same numbers', async () => {
  const log = [at('1.5', 'one'), at('2.25', 'two'), at('2.3', 'three')];
  const first = new PodOutput(nodeWith({ follow: [log] }).api, POD);
  await lines(first, 3);
  first.take(first.next(2));
  const { position } = first;
  first.end();
  const { api, asked } = nodeWith({ follow: [log.slice(1)] });
  const next = new PodOutput(api, POD, position);
  expect(await lines(next, 1)).toEqual(['3 three']);
  expect(asked[0]?.get('sinceTime')).toBe('2026-01-01T00:00:02Z');
  next.end();
});

it('is over once the pod is gone and everything was taken', async () => {
  const output = new PodOutput(nodeWith({ follow: [[at('1', 'bye')]] }).api, POD);
  output.gone();
  await lines(output, 1);
  expect(output.isOver).toBe(false);
  output.take(output.next(10));
  await vi.waitFor(() => expect(output.isOver).toBe(true));
});
