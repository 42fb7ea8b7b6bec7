import { expect, it } from 'vitest';
import type { ServerContext } from '../context.ts';
import { type Call, type Route, route } from '../http/route.ts';
import { metaRoutes } from './meta.ts';

/** Anybody may call these without a token, and each call uses the one thread that also renews leases (F49). */
it.each(['/openapi.json', '/docs', '/v1/model'])('%s is computed once for all calls', async (path) => {
  let described = 0;
  const routes: Route[] = metaRoutes({ config: { metricsPublic: false } } as ServerContext, () => {
    described += 1;
    return [
      ...routes,
      route({
        method: 'GET',
        path: '/x',
        access: 'public',
        summary: 'x',
        answers: {},
        gives: {},
        handle: () => ({}),
      }),
    ];
  });
  const found = routes.find((one) => one.path === path);
  const call = async () => (await found?.handle({} as Call<never, never>)) as { body: unknown };
  expect(described, 'and not before').toBe(0);
  const first = await call();
  expect(Buffer.isBuffer(first.body)).toBe(true);
  expect((await call()).body).toBe(first.body);
  expect(described).toBeLessThanOrEqual(1);
});
