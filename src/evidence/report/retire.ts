import { authorize } from '../../access/authorize.ts';
import type { Caller } from '../../access/caller.ts';
import { type Answer, problem } from '../../contract/problem.ts';
import { sourceOf } from '../door/bearer.ts';
import { settleHeld } from '../door/hold.ts';
import type { Host } from '../door/host.ts';
import { TARGET_SIZE, throughDoor } from '../door/through-door.ts';
import { currentAgent } from './current-agent.ts';
import { knownPlaces } from './known-places.ts';
import { targetFiles } from './register.ts';

interface Retirement {
  readonly identity: string;
  readonly reason: string;
}

/**
 * An operator says that a former place of a target is no more: from then on the new place alone is judged, applies that
 * the former one took go on, and it may not register again (F114). Nobody else can know: no report of the new place says
 * anything of the former one.
 */
export function retirePlace(
  host: Host,
  caller: Caller,
  target: string,
  { identity, reason }: Retirement,
): Promise<Answer<{ readonly retiredAt: number }>> {
  const { org } = caller;
  const prefetch = [{ table: 'agents', keys: [{ org, target }], lock: true }] as const;
  return throughDoor(
    host,
    org,
    async (door) => {
      const allowed = authorize(caller, { operation: 'retire', target });
      if (!allowed.ok) return allowed;
      const current = await currentAgent(door, target);
      const places = current === undefined ? null : knownPlaces(current);
      if (current?.identity === identity)
        return problem('identity_current', 'This is the target’s current place.');
      const known = places?.retired.find((place) => place.identity === identity);
      if (known !== undefined) return { ok: true, retiredAt: known.at };
      if (places === null || !places.runs.some((run) => run.identity === identity))
        return problem('not_found', 'The target never had this place.');
      const files = await targetFiles(door, target);
      const evidence = await door.append({
        kind: 'operator.acted',
        source: sourceOf(caller, 'operator'),
        target,
        body: { action: 'place.retired', reason, actor: caller.name, identity },
      });
      const after = { ...places, retired: [...places.retired, { identity, at: door.at }] };
      await door.tx.update('agents', { org, target }, {}, { places: after });
      const { instance } = current ?? {};
      if (instance !== undefined)
        await door.tx.update('registrations', { org, target, instance }, {}, { places: after });
      for (const file of files) {
        const { agent } = file.liveness;
        if (agent !== null) file.liveness = { ...file.liveness, agent: { ...agent, places: after } };
        await door.rejudge(file, 'operator', evidence.id);
        await settleHeld(door, file, caller.name, 'retirement');
      }
      return { ok: true, retiredAt: door.at };
    },
    { prefetch, size: TARGET_SIZE, caller },
  );
}
