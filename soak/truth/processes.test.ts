import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { APP_SCRIPT } from '../apps.ts';
import { ask } from './ask.ts';
import { endApps } from './end-apps.ts';
import { type AppProcess, ProcessTable } from './processes.ts';

/** Looks until it is as expected; a test that hangs here says what is not. */
async function until(look: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await look())) await new Promise((again) => setTimeout(again, 10));
}

describe('the truth about processes', () => {
  it('is found by arguments alone, sees a stop, hears a nonce, and ends what daemonized', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'evident-soak-test-'));
    const run = `test-${process.pid}`;
    writeFileSync(join(dir, 'app.js'), APP_SCRIPT);
    const start = (kind: string, port: number) =>
      spawn(
        process.execPath,
        ['app.js', `soak=${run}`, `service=${kind}`, `kind=${kind}`, `ends=${Date.now() + 60_000}`],
        { cwd: dir, env: { PORT: String(port), EVIDENT_REVISION: '7' }, stdio: 'ignore' },
      );
    const [port, other] = [await free(), await free()];
    const good = start('good', port);
    const parent = start('daemon', other);
    const table = new ProcessTable(run);
    const found = (service: string): AppProcess[] =>
      table.look(performance.now()).filter((process) => process.service === service);
    try {
      await until(() => found('good').length === 1);
      expect(found('good')).toEqual([
        expect.objectContaining({ pid: good.pid, revision: 7, port, isRunnable: true }),
      ]);
      const question = { port, host: 'good.localhost', service: 'good', patienceMs: 5_000 };
      await until(async () => (await ask(question)) === 7);
      expect(await ask({ ...question, service: 'another' })).toBeNull();
      good.kill('SIGSTOP');
      await until(() => found('good')[0]?.isRunnable === false);

      await once(parent, 'exit');
      const [daemon] = found('daemon');
      expect(daemon).toMatchObject({ revision: 7, port: other });
      expect(daemon?.pid).not.toBe(parent.pid);
      const ended = once(good, 'exit');
      endApps(run);
      expect(found('daemon')).toEqual([]);
      await ended;
    } finally {
      endApps(run);
      rmSync(dir, { recursive: true, force: true });
    }
  });
});

const free = async () => (await import('../../lab/free-port.ts')).freePort();
