import { GraphQLError } from 'graphql';
import type { Digits } from '../../contract/digits.ts';
import { targetOf } from '../../contract/names.ts';
import type { ServerContext } from '../context.ts';
import { unwrap } from '../http/unwrap.ts';
import { visibleService } from '../reads/visible-service.ts';
import { MAX_POSITION } from '../streams/send-events.ts';
import { type Watch, watch } from '../streams/watch.ts';
import type { TransitionEvent, WatchEvent } from '../streams/watch-event.ts';
import { type GraphqlCall, requireTo } from './call.ts';
import { invalidArgument } from './problems.ts';

interface TransitionsArguments {
  readonly service?: string | null;
  readonly target?: string | null;
  readonly after?: Digits | null;
}

/** One value of the subscription: a transition, or the error that ends it. */
interface Told {
  readonly transitions: TransitionEvent['data'] | GraphQLError;
}

/** The field of `Subscription`, over the watch that carries the stream of HTTP. */
export function subscriptionOf(context: ServerContext) {
  return {
    transitions: {
      subscribe: async (_root: unknown, args: TransitionsArguments, call: GraphqlCall) => {
        requireTo('read', call);
        const { target = null, after = null } = args;
        if (after !== null && after.length > MAX_POSITION) throw invalidArgument('after is not a position.');
        const service = args.service == null ? null : await nameOf(context, call, args.service);
        const events = await watch(context, call, { service, after });
        call.left.addEventListener('abort', () => void events.return(), { once: true });
        return told(events, target);
      },
      resolve: ({ transitions }: Told) => {
        if (transitions instanceof GraphQLError) throw transitions;
        return transitions;
      },
    },
  };
}

async function nameOf({ host }: ServerContext, { caller }: GraphqlCall, ref: string): Promise<string> {
  return unwrap(await visibleService(host, caller, 'read', ref)).visible.service;
}

/**
 * The transitions of a watch. Not a generator: its `return()` would wait for an event that may never come, while the watch
 * keeps its place in the org.
 */
function told(events: Watch, target: string | null): AsyncIterableIterator<Told> {
  let isOver = false;
  return {
    async next() {
      while (!isOver) {
        const { value, done } = await events.next();
        const told = done ? null : toldOf(value, target);
        if (told === 'nothing') continue;
        isOver = told === null || told.transitions instanceof GraphQLError;
        if (isOver) await events.return();
        if (told !== null) return { value: told, done: false };
      }
      return { value: undefined, done: true };
    },
    async return() {
      isOver = true;
      await events.return();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Null: the watch ends here, and a client resumes after the last position that it has. */
function toldOf(event: WatchEvent, target: string | null): Told | null | 'nothing' {
  if (event.event === 'end') return null;
  if (event.event === 'reset') {
    const { reason, position } = event.data;
    const extensions = { code: 'reset', position };
    const detail = `What came after this position can’t be told: ${reason}. Read the claims, and subscribe after position ${position}.`;
    return { transitions: new GraphQLError(detail, { extensions }) };
  }
  if (event.event !== 'transition') return 'nothing';
  const isWanted = target === null || targetOf(event.data.service) === target;
  return isWanted ? { transitions: event.data } : 'nothing';
}
