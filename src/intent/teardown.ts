import { type Answer, problem } from '../contract/problem.ts';
import { type Caller, mayForce, sourceOf } from '../evidence/caller.ts';
import type { Host } from '../evidence/host.ts';
import { recordRevision } from '../evidence/record-revision.ts';
import { withDefaults } from '../projection/deadlines.ts';
import { observedInstances } from '../projection/running-contract.ts';
import { type Acted, act, actorOf, type Idempotency } from './acted.ts';

export interface Force {
  readonly reason: string;
}

/**
 * Teardown is always `newest`. While the claim is unknown it is refused: nobody should tear down what nobody can
 * see, unless forced with a reason. Repeated, it is never guarded.
 */
export function teardown(
  host: Host,
  caller: Caller,
  service: string,
  force: Force | null = null,
  key: Idempotency | null = null,
): Promise<Answer<Acted>> {
  return act(host, caller, service, key, async (door, file) => {
    const asked = file?.asked;
    if (file === null || asked === undefined) return problem('not_found', 'There is no such service.');
    if (asked.origin.kind === 'observe')
      return problem('invalid_request', 'Another tool manages this service; act there.');
    if (force !== null && !mayForce(caller))
      return problem('forbidden', 'Only an operator may force a teardown.');
    const repeated = asked.kind === 'teardown';
    const standing = file.standing(door.at);
    if (standing.state === 'unknown' && !repeated && force === null) {
      return problem(
        'state_unknown',
        'What runs is not known; wait until it is, or force it with a reason.',
        {
          cause: standing.cause?.code ?? '',
        },
      );
    }
    const { actor, source, correlation } = actorOf(caller);
    if (force !== null) {
      await door.admit(file, {
        kind: 'operator.acted',
        source: sourceOf(caller, 'operator'),
        revision: asked.revision,
        attempt: file.active?.attempt.attempt ?? 1,
        body: { action: 'teardown', reason: force.reason, actor },
      });
      file.hidden = true;
    }
    const absent = file.proven.leasedApply === null && observedInstances(file.proven.observed).length === 0;
    const revision = await recordRevision(
      door,
      file,
      {
        kind: 'teardown',
        origin: { kind: 'none' },
        replicas: 0,
        port: null,
        command: null,
        stabilityMs: 0,
        deadlines: withDefaults(asked.spec.deadlines),
        accepts: [],
        template: null,
        spec: asked.spec,
        git: null,
        actor,
        correlation,
      },
      source,
      { queued: false, teardown: { absent, force: force !== null, reason: force?.reason ?? null } },
    );
    return { ok: true, revision, attempt: 1 };
  });
}
