import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Client, ProblemAnswer, Unreachable } from '../../src/client/client.ts';
import { isOutcomeUnknown, People } from '../../src/client/people.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server on a real socket that answers with the next of the answers, and keeps the requests. */
async function answering(answers: readonly ((request: IncomingMessage, response: ServerResponse) => void)[]) {
  const requests: { method: string; url: string; key: string | undefined; bytes: number }[] = [];
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      requests.push({ method, url, key: headers['idempotency-key'] as string, bytes });
      answers[Math.min(requests.length, answers.length) - 1]?.(request, response);
    });
  }).listen(0);
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((done) => server.once('listening', done));
  const unreadable: string[] = [];
  const people = new People(new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 't'), {
    unreadable: (names) => unreadable.push(...names),
  });
  return { people, requests, unreadable };
}

const problem = (status: number, code: string) => (_: IncomingMessage, response: ServerResponse) =>
  response
    .writeHead(status, { 'content-type': 'application/problem+json' })
    .end(JSON.stringify({ code, status, title: code, detail: code }));
const acted = (_: IncomingMessage, response: ServerResponse) =>
  response
    .writeHead(202, { 'content-type': 'application/json' })
    .end(JSON.stringify({ service: 'web@lab', revision: 1, attempt: 1 }));
const cut = (request: IncomingMessage) => request.socket.destroy();

async function* source() {
  yield Buffer.from('the same bytes');
}

/** Every verb that changes something. */
const ACTS: readonly (readonly [string, (people: People) => Promise<unknown>])[] = [
  [
    'deploy a source',
    (people) =>
      people.deploySource('web', () => ({ type: 'multipart/form-data; boundary=x', bytes: source() })),
  ],
  ['deploy an image', (people) => people.deployNamed('web', { image: 'a' }, {}, null)],
  ['rollback', (people) => people.rollback('web', null)],
  ['retry', (people) => people.retry('web')],
  ['cancel', (people) => people.cancel('web', null)],
  ['restart', (people) => people.restart('web')],
  ['scale', (people) => people.scale('web', 2)],
  ['create a token', (people) => people.createToken({ role: 'viewer' })],
  ['revoke a token', (people) => people.revokeToken('t1')],
  ['teardown', (people) => people.teardown('web', null)],
];

describe('an action whose outcome is unknown (S7)', () => {
  it.each(ACTS)('%s is repeated with the same key', async (_name, act) => {
    const { people, requests } = await answering([problem(503, 'outcome_unknown'), cut, acted]);
    expect(await act(people)).toMatchObject({ revision: 1 });
    const [first] = requests;
    expect(first?.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(requests).toEqual([first, first, first]);
    await act(people);
    expect(requests.at(-1)?.key).not.toBe(first?.key);
  });

  it('is not repeated where it was refused, or the server was never reached', async () => {
    const { people, requests } = await answering([problem(409, 'retry_not_possible')]);
    await expect(people.retry('web')).rejects.toBeInstanceOf(ProblemAnswer);
    expect(requests).toHaveLength(1);
    const refused = await new People(new Client('http://127.0.0.1:1', 't'))
      .retry('web')
      .catch((error) => error);
    expect([refused, isOutcomeUnknown(refused)]).toEqual([expect.any(Unreachable), false]);
  });
});

it('unreadable items of a list are reported, page by page', async () => {
  const page = (body: object) => (_: IncomingMessage, response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const { people, unreadable } = await answering([
    page({ items: [{ revision: 3 }], unreadable: ['2'], cursor: 'next' }),
    page({ items: [], unreadable: ['1'], cursor: null }),
    page({ items: [{ worker: 'a' }] }),
    page({ items: [], unreadable: ['lab.agent-1'] }),
  ]);
  expect(await people.revisions('web', 20)).toEqual([{ revision: 3 }]);
  expect(unreadable).toEqual(['2', '1']);
  expect(await people.workers()).toEqual([{ worker: 'a' }]);
  expect(await people.agents()).toEqual([]);
  expect(unreadable).toEqual(['2', '1', 'lab.agent-1']);
});
