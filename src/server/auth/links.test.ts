import { describe, expect, it } from 'vitest';
import { describeWithPostgres } from '../../../test/lab.ts';
import { MemoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/port.ts';
import { PostgresStore } from '../../store/postgres/store.ts';
import { forgetOldLinks, makeLink, redeemLink } from './links.ts';
import { makeToken, revokeToken } from './tokens.ts';

const ANA = {
  org: 'acme',
  role: 'viewer',
  name: 'ana',
  target: '*',
  service: '*',
  expiresInMs: null,
} as const;
const MINUTES = 60_000;

describe('a link that signs a browser in', () => {
  const lab = async () => {
    const clock = { now: 1_000_000 };
    const store = new MemoryStore(() => clock.now);
    const { row } = await makeToken(store, ANA);
    return { clock, store, row };
  };

  it('signs in once', async () => {
    const { store, row } = await lab();
    const { link } = await makeLink(store, row);
    expect(JSON.stringify([...store.tables.links.values()])).not.toContain(link);
    expect(await redeemLink(store, link)).toEqual(row);
    expect(await redeemLink(store, link)).toBe('used');
    expect(await redeemLink(store, 'nonsense')).toBe('unknown');
  });

  it('is valid for a quarter of an hour, and no longer than its token', async () => {
    const { clock, store, row } = await lab();
    const [late, used, revoked] = [
      await makeLink(store, row),
      await makeLink(store, row),
      await makeLink(store, row),
    ];
    expect(late.expiresAt).toBe(clock.now + 15 * MINUTES);
    await redeemLink(store, used.link);
    clock.now += 15 * MINUTES - 1;
    await revokeToken(store, row.org, row.id);
    expect(await redeemLink(store, revoked.link)).toBe('ended');
    clock.now += 1;
    expect(await redeemLink(store, late.link)).toBe('expired');
    await forgetOldLinks(store);
    expect(await redeemLink(store, used.link)).toBe('used');
    clock.now += 24 * 60 * MINUTES;
    await forgetOldLinks(store);
    expect(store.tables.links.size).toBe(0);
  });
});

describeWithPostgres('a link of several servers on one PostgreSQL', (newUrl) => {
  it('is valid at all of them, and used up at one', async () => {
    const url = await newUrl();
    const servers: (Store & { close(): Promise<void> })[] = [];
    try {
      for (let n = 0; n < 3; n++) servers.push(await PostgresStore.open(url));
      const [first] = servers;
      if (first === undefined) throw new Error('no server');
      const { row } = await makeToken(first, ANA);
      const { link } = await makeLink(first, row);
      const found = await Promise.all(servers.map((server) => redeemLink(server, link)));
      expect(found.filter((one) => one !== 'used')).toEqual([row]);
    } finally {
      for (const server of servers) await server.close();
    }
  });
});
