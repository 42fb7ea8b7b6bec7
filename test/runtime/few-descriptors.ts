import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Router } from '../../src/runtime/router/router.ts';

/** A router that proves a good route with 0, 1, 2, … descriptors left. Prints the result of each. */
const server = `const s = require('node:http').createServer((_, res) => res.end('ok'));
  s.listen(0, '127.0.0.1', () => console.log(s.address().port));`;
const app = spawn(process.execPath, ['-e', server], { stdio: ['ignore', 'pipe', 'ignore'] });
const port = Number((await once(app.stdout, 'data'))[0]);
const router = new Router({ host: '127.0.0.1', port: 0 });
await router.listen();
router.set({
  service: 'web@lab',
  hosts: ['web.localhost'],
  stamp: { revision: 1, attempt: 1 },
  endpoints: [{ uid: 'a', address: '127.0.0.1', port }],
  isStopped: false,
});
const question = {
  service: 'web@lab',
  hosts: ['web.localhost'],
  path: null,
  isHttp: true,
  isWhole: true,
  timeoutMs: 5_000,
};
const proven = () => router.prove(question, new AbortController().signal).then(({ kind }) => kind);
await proven();
const found = [];
for (let spare = 0; spare < 8; spare += 1) {
  // Connections of the proof before close first.
  await new Promise((done) => setTimeout(done, 50));
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch {
    for (const fd of taken.splice(0, spare)) closeSync(fd);
  }
  found.push(await proven());
  for (const fd of taken) closeSync(fd);
}
app.kill('SIGKILL');
process.stdout.write(JSON.stringify(found));
process.exit(0);
