import type { Spec } from '../../contract/intent.ts';
import { DIGEST } from '../../contract/names.ts';
import type { ApplyOrder } from '../port.ts';
import { ApplyRefused } from '../process/environment.ts';
import type { Launch, Wanted } from './record.ts';

/** What an order means here: what is wanted, and how an instance of it is started. Refuses what is no process. */
export function readOrder({ stamp, artifact, spec, accepts }: ApplyOrder): {
  wanted: Wanted;
  launch: Launch;
} {
  if (spec.runtime !== undefined && spec.runtime !== 'process')
    throw new ApplyRefused(
      'wrong_runtime',
      `This agent runs processes, and the spec asks for ${spec.runtime}.`,
    );
  if (!DIGEST.test(artifact))
    throw new ApplyRefused(
      'image_unsupported',
      'This agent runs processes, and an image is no tar of files.',
    );
  // `auto` that nobody has made a number has no port: the server expects no route either.
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

/** A path begins with a slash, whether or not it was written. */
function healthOf({ health = {} }: Spec): Launch['health'] {
  const { path } = health;
  return path === undefined || path.startsWith('/') ? health : { ...health, path: `/${path}` };
}
