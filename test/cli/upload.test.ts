import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ok } from '../server/parties.ts';
import { useServers } from '../server/servers.ts';
import { plain, useRuns } from './runs.ts';

const servers = useServers();
const runs = useRuns(servers);

/** Large enough that it is still being sent when it is refused. */
function large(): string {
  const dir = runs.folder({ 'index.html': 'hello' });
  writeFileSync(join(dir, 'large.bin'), randomBytes(24 << 20));
  return dir;
}

describe('the upload of a folder', () => {
  it('that is refused midway prints the refusal, not a broken connection', {
    timeout: 120_000,
  }, async () => {
    const { api, data } = await servers.start({ args: ['--max-source-bytes', '1000000'] });
    const dir = large();
    const env = { EVIDENT_DATA: data };
    const tooLarge = await runs.done(['deploy', dir, '--service', 'web', '-o', 'json'], { env });
    expect([tooLarge.code, JSON.parse(tooLarge.err)]).toEqual([
      2,
      expect.objectContaining({ code: expect.stringMatching(/too_large|source_rejected/) }),
    ]);
    const viewer = await api.tokenFor('viewer');
    const forbidden = await runs.done(['deploy', dir, '--service', 'web', '-o', 'json'], {
      env: { ...env, EVIDENT_SERVER: api.address, EVIDENT_TOKEN: viewer },
    });
    expect([forbidden.code, JSON.parse(forbidden.err)]).toEqual([
      2,
      expect.objectContaining({ code: 'forbidden' }),
    ]);
    expect(ok(await api.get('/v1/services')).items).toEqual([]);
  });

  it('shows its progress, and arrives as it was sent', { timeout: 120_000 }, async () => {
    const { api, data } = await servers.start();
    const env = { EVIDENT_DATA: data };
    const deploy = runs.terminal(['deploy', large(), '--service', 'web', '--detach'], { env });
    expect(await deploy.code, deploy.out()).toBe(0);
    expect(plain(deploy.out())).toMatch(/(packing|sending) [\d.]+ .?B of [\d.]+ MB \(\d+ %\)/);
    const [, sent] = /(sha256:[0-9a-f]{12})…/.exec(plain(deploy.out())) ?? [];
    const builder = api.as(await api.tokenFor('builder'));
    const { lease } = ok(
      await builder.post('/v1/leases', { kinds: ['build'], worker: 'b', instance: 'b1', waitMs: 10_000 }),
    );
    expect(lease.input.source.slice(0, 19)).toBe(sent);
  });
});
