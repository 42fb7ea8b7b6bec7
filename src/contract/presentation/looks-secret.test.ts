import { expect, it } from 'vitest';
import { changeText } from './changes.ts';
import { looksSecret, secretAdvice } from './looks-secret.ts';

it('a credential is known by its name or by its value', () => {
  for (const name of [
    'PASSWORD',
    'DB_PASSWORD',
    'API_TOKEN',
    'STRIPE_KEY',
    'session_secret',
    'AWS_SECRET_ACCESS_KEY',
  ])
    expect(looksSecret(name, 'x'), name).toBe(true);
  for (const value of [
    'postgres://shop:hunter2@db.example/shop',
    'redis://:pw@cache:6379',
    'ghp_0123456789abcdef',
  ])
    expect(looksSecret('SOURCE', value), value).toBe(true);
});

it('nothing else is taken for one', () => {
  for (const [name, value] of [
    ['LOG_LEVEL', 'debug'],
    ['DATABASE_URL', 'postgres://db.example:5432/shop'],
    ['HOMEPAGE', 'https://shop.example/@ana'],
    ['JWT_PUBLIC_KEY', 'abc'],
    ['KEYBOARD', 'de'],
    ['TOKENS_PER_MINUTE', '5'],
    ['PASSWORD', ''],
  ] as const)
    expect(looksSecret(name, value), name).toBe(false);
  expect(looksSecret('PASSWORD', { secret: true }), 'it is one already').toBe(false);
});

it('is shown nowhere, and whoever sets it is told', () => {
  const change = { field: 'env.DB_URL', kind: 'added', to: 'postgres://shop:hunter2@db/shop' } as const;
  expect(changeText(change)).toBe('adds DB_URL=•••••• (looks like a secret; use --secret)');
  expect(changeText({ ...change, kind: 'changed', from: 'x', to: 'y' })).toBe('DB_URL x → y');
  expect(secretAdvice({ LOG_LEVEL: 'debug' })).toBe(null);
  expect(secretAdvice({ DB_PASSWORD: 'x', LOG_LEVEL: 'debug' })).toContain(
    'evident secrets set DB_PASSWORD=… SERVICE',
  );
});
