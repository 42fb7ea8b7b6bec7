import { expect, it } from 'vitest';
import { describeWithPostgres } from '../../../test/lab.ts';
import { PostgresHints } from './hints.ts';

describeWithPostgres('hints between servers', (newUrl) => {
  it('each server receives another’s commits of an org, and each waiting command, however many', async () => {
    const url = await newUrl();
    const commands = Array.from(
      { length: 100 },
      (_, i) => `${'s'.repeat(40)}@${'t'.repeat(40)}.r${i}.a1.apply.1`,
    );
    const missing = new Set(commands);
    let all = () => {};
    const receivedAll = new Promise<void>((resolve) => {
      all = resolve;
    });
    const hears = new PostgresHints(url, (org, published) => {
      expect(org).toBe('acme');
      for (const command of published) missing.delete(command);
      if (missing.size === 0) all();
    });
    const tells = new PostgresHints(url, () => {});
    try {
      // A server that is not connected yet receives nothing, so the hint is repeated until it does.
      const again = setInterval(() => tells.notify('acme', commands), 50);
      await receivedAll;
      clearInterval(again);
      expect(missing.size).toBe(0);
    } finally {
      await tells.close();
      await hears.close();
    }
  });
});
