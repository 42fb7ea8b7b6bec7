import type { InstanceView } from '../answers/views.ts';

type Ordered = Pick<InstanceView, 'phase' | 'ready' | 'reason' | 'restarts' | 'name'>;

/** Less is worse: what ended, what cannot be seen, what is on its way, what is ready, what leaves. */
function rankOf({ phase, ready }: Ordered): number {
  switch (phase) {
    case 'failed':
    case 'exited':
      return 0;
    case 'unknown':
      return 1;
    case 'running':
      return ready ? 4 : 2;
    case 'pending':
    case 'starting':
      return 3;
    case 'stopping':
      return 5;
  }
}

/** The worst first: whoever looks for a cause finds it at the top. Of equals, the one that restarted most, then by name. */
export const worstFirst = <I extends Ordered>(instances: readonly I[]): I[] =>
  [...instances].sort(
    (a, b) => rankOf(a) - rankOf(b) || b.restarts - a.restarts || (a.name < b.name ? -1 : 1),
  );
