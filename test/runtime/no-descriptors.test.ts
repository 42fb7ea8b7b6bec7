import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { probe } from '../../src/runtime/supervise/probe.ts';
import { RouteProof } from '../../src/runtime/supervise/route-proof.ts';
import type { RouteReply } from '../../src/runtime/supervise/router-port.ts';

it('a process that could not be looked at is not dead (F122)', () => {
  const script = resolve('test/runtime/no-descriptors.ts');
  const run = ['-c', 'ulimit -n 200; exec "$@"', 'sh', process.execPath, '--import', 'tsx/esm', script];
  const { before, without } = JSON.parse(execFileSync('sh', run, { encoding: 'utf8' }));
  expect(before).toEqual({ alive: true, marked: true, listening: true, members: true });
  const code = 'EMFILE';
  expect(without).toEqual({ alive: code, marked: code, listening: code, members: code });
});

it('a good route is never called bad for want of descriptors (F122)', () => {
  const script = resolve('test/runtime/few-descriptors.ts');
  const run = ['-c', 'ulimit -n 200; exec "$@"', 'sh', process.execPath, '--import', 'tsx/esm', script];
  const found = JSON.parse(execFileSync('sh', run, { encoding: 'utf8' }));
  expect(new Set(found)).toEqual(new Set(['unobserved', 'answered']));
  expect([found.at(0), found.at(-1)]).toEqual(['unobserved', 'answered']);
});

it('a proof that could not be made leaves the last one, which ages (F122)', async () => {
  const lacking = Object.assign(new Error('no descriptor'), { code: 'EMFILE' });
  const stamp = { revision: 1, attempt: 1 };
  const answers: (() => Promise<RouteReply>)[] = [
    async () => ({ kind: 'answered', stamp }),
    async () => ({ kind: 'unobserved' }),
    async () => Promise.reject(lacking),
    async () => Promise.reject(new Error('a path that cannot be requested')),
  ];
  const proof = new RouteProof(
    () => answers.shift()?.() ?? Promise.reject(lacking),
    () => ({ proveEveryMs: 60_000, proveWholeEveryMs: 60_000 }),
    () => {},
  );
  await proof.prove();
  const provenAt = performance.now();
  for (const _ of ['lacking', 'thrown']) {
    await proof.prove();
    expect(proof.answer).toEqual({ answers: true, stamp });
    expect(proof.observedAt).toBeLessThanOrEqual(provenAt);
  }
  await proof.prove();
  expect(proof.answer).toEqual({ answers: false });
  proof.end();
});

it('a probe of a path that cannot be requested is a failed one', async () => {
  const manner = { kind: 'path', path: '/a b' } as const;
  const options = { addresses: ['127.0.0.1'], port: 1, manner, timeoutMs: 100 };
  expect(await probe(options)).toMatchObject({ kind: 'not_answering' });
});
