import { expect, it } from 'vitest';
import type { ServerContext } from '../context.ts';
import { type Call, type Route, route } from '../http/route.ts';
import { metaRoutes } from './meta.ts';

/** Anybody may ask for these, and each asks the one thread that also renews leases (F49). */
it.each(['/openapi.json', '/docs', '/v1/model'])(
  '%s is worked out once, however often it is asked for',
  async (path) => {
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
    const asked = routes.find((one) => one.path === path);
    const ask = async () => (await asked?.handle({} as Call<never, never>)) as { body: unknown };
    expect(described, 'and not before').toBe(0);
    const first = await ask();
    expect(Buffer.isBuffer(first.body)).toBe(true);
    expect((await ask()).body).toBe(first.body);
    expect(described).toBeLessThanOrEqual(1);
  },
);
