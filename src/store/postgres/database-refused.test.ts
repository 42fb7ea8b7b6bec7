import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { describeWithPostgres } from '../../../test/lab.ts';
import { DatabaseRefused, refusalFor, refuseOld } from './database-refused.ts';
import { type PostgresOptions, PostgresStore } from './store.ts';

const SECRET = 'hunter2';
const whyNot = async (url: string, options: PostgresOptions = {}): Promise<string> => {
  const error: unknown = await PostgresStore.open(url, options).then(
    (store) => store.close(),
    (refused: unknown) => refused,
  );
  expect(error).toBeInstanceOf(DatabaseRefused);
  return (error as Error).message;
};

it('a refused connection: the error names the address, and what to do', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((ready) => server.once('listening', ready));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  expect(await whyNot(`postgres://me:${SECRET}@127.0.0.1:${port}/app`)).toBe(
    `PostgreSQL cannot be reached at 127.0.0.1:${port} (ECONNREFUSED). Start it, or correct --database; nothing was changed.`,
  );
});

it.each([
  [
    'ENOTFOUND',
    'PostgreSQL cannot be reached at db.invalid:5432: nobody knows that name (ENOTFOUND). Correct --database.',
  ],
  ['28P01', 'PostgreSQL at db.invalid:5432 does not let me in. Correct user and password in --database.'],
  ['57P03', 'PostgreSQL at db.invalid:5432 is still starting, or shutting down. Try again in a moment.'],
])('%s: the error does not contain the password', (code, sentence) => {
  const refused = refusalFor(`postgres://me:${SECRET}@db.invalid/app`, Object.assign(new Error(), { code }));
  expect((refused as Error).message).toBe(sentence);
});

it.each([
  [`mysql://me:${SECRET}@db.invalid/app`, 'mysql://…'],
  [`me:${SECRET}@db.invalid/app`, 'me://…'],
  [`${SECRET}@db.invalid`, 'What --database names'],
])(
  'an address that is no PostgreSQL URL is refused, and not tried at the default port: %s',
  async (url, shownAs) => {
    expect(await whyNot(url)).toBe(
      `${shownAs} is no PostgreSQL address. Give --database as postgres://user@host:5432/database.`,
    );
  },
);

it('a server that is too old is refused, and the oldest supported one is not', () => {
  const at = `postgres://me:${SECRET}@db.invalid/app`;
  expect(() => refuseOld(at, 130_022)).toThrow(
    'PostgreSQL at db.invalid:5432 is version 13; Evident needs 14 or newer. Nothing was changed.',
  );
  expect(() => refuseOld(at, 140_000)).not.toThrow();
});

it('an error that is not about the address stays unchanged', () => {
  const error = Object.assign(new Error('a defect'), { code: '42601' });
  expect(refusalFor('postgres://localhost/app', error)).toBe(error);
});

describeWithPostgres('an existing PostgreSQL', (newUrl) => {
  it('without the database: the error says how to create it', async () => {
    const url = new URL(await newUrl());
    url.pathname = '/nowhere';
    expect(await whyNot(url.href)).toMatch(/has no database nowhere\. Create it: createdb nowhere$/);
  });

  it('without SSL, where SSL is requested', async () => {
    const url = new URL(await newUrl());
    url.searchParams.set('sslmode', 'require');
    expect(await whyNot(url.href)).toMatch(/^PostgreSQL at .* speaks no SSL, and --database asks for it/);
  });

  it('takes no writes (F45)', async () => {
    const url = new URL(await newUrl());
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    expect(await whyNot(url.href)).toMatch(
      /takes no writes: it is a standby, or read-only\. Name the primary/,
    );
  });

  it('that hangs: the error says that it does not answer', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((ready) => silent.once('listening', ready));
    const { port } = silent.address() as { port: number };
    expect(await whyNot(`postgres://me@127.0.0.1:${port}/app`, { connectMs: 200 })).toMatch(
      /does not answer/,
    );
    silent.close();
  });
});
