import type { Spec } from '../../contract/intent.ts';
import type { ApplyOrder } from '../port.ts';
import type { Launch, WantedAttempt } from './record.ts';

/** Reads an order into the wanted state and the launch of its instances. */
export function readOrder({ stamp, artifact, spec, accepts }: ApplyOrder): {
  wanted: WantedAttempt;
  launch: Launch;
} {
  // A port that is still `auto` is none: the server expects no route either.
  const port = typeof spec.port === 'number';
  const launch = {
    stamp: { revision: stamp.revision, attempt: stamp.attempt },
    artifact,
    command: spec.command ?? [],
    env: spec.env ?? {},
    port,
    health: healthOf(spec),
  };
  const wanted = {
    stamp,
    artifact,
    replicas: spec.replicas ?? 1,
    port,
    accepts,
    stabilityMs: spec.stabilityMs ?? 3_000,
    host: spec.route?.host ?? null,
  };
  return { wanted, launch };
}

/** Puts a slash before a health path that has none. */
function healthOf({ health = {} }: Spec): Launch['health'] {
  const { path } = health;
  return path === undefined || path.startsWith('/') ? health : { ...health, path: `/${path}` };
}
