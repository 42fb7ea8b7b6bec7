import { afterEach } from 'vitest';
import { describeWithPostgres } from '../../../test/lab.ts';
import { describeStore } from '../conformance.ts';
import { PostgresStore } from './store.ts';

let open: PostgresStore[] = [];
afterEach(async () => {
  for (const store of open) await store.close();
  open = [];
});

describeWithPostgres('on PostgreSQL', (newUrl) => {
  describeStore('PostgreSQL', async (clock) => {
    const store = await PostgresStore.open(await newUrl(), { clock });
    open.push(store);
    return store;
  });
});
