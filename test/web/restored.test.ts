import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { SqliteConnection } from '../../src/store/sqlite/connection.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { ok } from '../server/parties.ts';
import { type Server, useServers } from '../server/servers.ts';
import { describeInBrowser, stateOf } from './browser.ts';

const TIMEOUT = { timeout: 180_000 };
const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;
const PAGE = '/services/web@lab';

describeInBrowser('the web UI over a store that was restored or damaged', ({ open }) => {
  const servers = useServers();
  const kept = mkdtempSync(join(tmpdir(), 'evident-kept-'));
  afterAll(() => rmSync(kept, { recursive: true, force: true }));

  const stopped = async (server: Server) => {
    server.process.kill('SIGTERM');
    await server.ended;
  };
  /** Starts at the same address, so that a waiting page finds it. */
  const again = ({ data, api }: Server) =>
    servers.start({ data, args: ['--port', new URL(api.address).port] });
  const deploy = async ({ api }: Server) =>
    ok(await api.post(`/v1${PAGE}/deployments`, { image: IMAGE }), 202);

  it(
    'after a restore from an older copy the page reads everything again, shows it, and continues (F85)',
    TIMEOUT,
    async () => {
      const first = await servers.start();
      await deploy(first);
      const page = await open(first.api, PAGE);
      const history = page.getByRole('region', { name: 'Revisions' });
      await history.getByRole('row', { name: /^r1 / }).waitFor();
      await stopped(first);
      cpSync(first.data, kept, { recursive: true });

      const second = await again(first);
      await deploy(second);
      await history.getByRole('row', { name: /^r2 / }).waitFor({ timeout: 60_000 });
      await stopped(second);
      rmSync(first.data, { recursive: true });
      cpSync(kept, first.data, { recursive: true });

      const third = await again(first);
      await page.getByText('Read anew.').waitFor({ timeout: 60_000 });
      await history.getByRole('row', { name: /^r2 / }).waitFor({ state: 'detached', timeout: 60_000 });
      await page.locator('.liveness[data-live="true"]').waitFor({ timeout: 60_000 });
      expect(await history.getByRole('row', { name: /^r\d/ }).count(), 'what is gone is not shown').toBe(1);
      await deploy(third);
      await history.getByRole('row', { name: /^r2 / }).waitFor({ timeout: 60_000 });
    },
  );

  it('a page of an archived instant says so, with a link to the earliest kept one', TIMEOUT, async () => {
    const first = await servers.start();
    await deploy(first);
    const [org, from] = ['default', Date.now()];
    await stopped(first);
    const store = await SqliteStore.open(first.data);
    await store.transact((tx) => tx.insert('retention', { org, keptFrom: from, position: '1', idsTo: '0' }));
    await store.close();
    const second = await again(first);
    const page = await open(second.api, `${PAGE}?at=${new Date(from - 1_000).toISOString()}`);
    await page.getByText(/What was known at .* has moved to the archive/).waitFor();
    await page.getByRole('button', { name: 'Go to the earliest' }).click();
    await stateOf(page, 'waiting_for_worker');
    expect(new URL(page.url()).searchParams.get('at')).toBe(new Date(from).toISOString());
  });

  it('unreadable items of a list are named on its page (F56)', TIMEOUT, async () => {
    const first = await servers.start();
    await deploy(first);
    const { id } = ok(await first.api.post('/v1/tokens', { role: 'viewer', name: 'torn' }), 201);
    await stopped(first);
    const store = await SqliteStore.open(first.data);
    const lost = { createdAt: 'torn' as never };
    await store.transact((tx) => tx.update('tokens', { org: 'default', id }, {}, lost));
    await store.close();
    const hand = new SqliteConnection(join(first.data, 'evident.db'));
    hand.exec(`UPDATE services SET service = x'00ff'`);
    hand.close();
    const second = await again(first);
    const page = await open(second.api, '/tokens');
    await page.getByText(`1 more is on record and cannot be read: ${id}.`).waitFor();
    await page
      .getByRole('region', { name: 'Tokens', exact: true })
      .getByText('server-admin')
      .first()
      .waitFor();
    await page.goto(`${second.api.address}/`);
    await page.getByText('1 more is on record and cannot be read: a service whose name is lost.').waitFor();
  });
});
