import type { z } from 'zod';
import type { VisibleService } from '../../access/visible-service.ts';
import type { ServerContext } from '../context.ts';
import { visibleService } from '../reads/visible-service.ts';
import { type Call, type nothing, type Reply, type Route, route } from './route.ts';
import { unwrap } from './unwrap.ts';

type ServiceRouteDefinition<Q extends z.ZodType, B extends z.ZodType> = Omit<
  Route<Q, B>,
  'access' | 'path' | 'handle'
> & {
  readonly path: `/v1/services/:ref${string}`;
  readonly access: 'read' | 'inspect';
  /** `find` refuses where there is no such service for the caller. A malformed request is refused before that. */
  readonly handle: (call: Call<z.infer<Q>, z.infer<B>>, find: FindService) => Promise<Reply> | Reply;
};

export type FindService = () => Promise<VisibleService>;

/** A route that reads one service: its handler gets the service only with its caller authorized for it. */
export function serviceRoute<Q extends z.ZodType = typeof nothing, B extends z.ZodType = typeof nothing>(
  { host }: Pick<ServerContext, 'host'>,
  { handle, ...definition }: ServiceRouteDefinition<Q, B>,
): Route {
  return route<Q, B>({
    ...definition,
    handle: (call) =>
      handle(call, async () => {
        const found = await visibleService(host, call.caller, definition.access, call.params.ref ?? '');
        return unwrap(found).visible;
      }),
  } as Route<Q, B>);
}
