import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { leaseId } from '../contract/command-id.ts';
import { type Answer, noService } from '../contract/problem.ts';
import { sourceOf } from '../evidence/door/bearer.ts';
import type { Door } from '../evidence/door/door.ts';
import type { Host } from '../evidence/door/host.ts';
import { OPEN_COMMAND } from '../evidence/door/new-command.ts';
import { recordRevision } from '../evidence/door/record-revision.ts';
import { withDefaults } from '../projection/deadlines.ts';
import { teardownRefusal, unreadable } from '../projection/refusals.ts';
import { observedInstances } from '../projection/running-contract.ts';
import { isIntact, readable } from '../store/broken-row.ts';
import { type Acted, act, actorOf, type RequestKey, subjectOf } from './acted.ts';

interface Force {
  readonly reason: string;
}

/**
 * Teardown is always `newest`. While the claim is unknown it is refused unless it is forced with a reason:
 * nobody should tear down a service that nobody observes. A repeated one is never guarded.
 */
export function teardown(
  host: Host,
  caller: Caller,
  service: string,
  force: Force | null = null,
  key: RequestKey | null = null,
): Promise<Answer<Acted>> {
  return act(host, caller, service, key, async (door, file) => {
    if (file === null) return noService();
    const subject = subjectOf(file, door.at);
    if (subject === null) return unreadable();
    const allowed = force === null ? null : authorize(caller, { operation: 'force', service: file.service });
    if (allowed?.ok === false) return allowed;
    const refusal = force === null ? teardownRefusal(subject) : null;
    if (refusal !== null) return refusal;
    const { intent, revision: active } = subject;
    const { actor, source, correlation } = actorOf(caller);
    if (force !== null) {
      await door.admit(file, {
        kind: 'operator.acted',
        source: sourceOf(caller, 'operator'),
        revision: intent.revision,
        attempt: active.attempt.attempt,
        body: { action: 'teardown', reason: force.reason, actor },
      });
      file.hidden = true;
    }
    // An agent of ours does not remove a service that another tool runs: it is hidden from the lists, and its
    // claim stays observed.
    if (intent.origin.kind === 'observe')
      return { ok: true, revision: intent.revision, attempt: active.attempt.attempt };
    // mutant: teardown-absence
    const absent =
      file.proven.leasedApply === null &&
      observedInstances(file.proven.observed).length === 0 &&
      !(await wasOfferedApply(door, file.service));
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
        deadlines: withDefaults(intent.spec.deadlines),
        accepts: [],
        template: null,
        spec: intent.spec,
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

/**
 * True if an apply of the service was ever offered, taken up or not: the first call of its holder may be that
 * it has applied. Open commands are locked, so that none is offered meanwhile and superseded unobserved
 * (F38).
 */
async function wasOfferedApply({ org, tx }: Door, service: string): Promise<boolean> {
  const applies = await tx.select('commands', { org, service, kind: 'apply' }, { order: 'id' });
  for (const found of applies) {
    const { id, state } = readable(found);
    const isOpen = id !== undefined && state !== undefined && OPEN_COMMAND.values.includes(state);
    const command = isOpen ? await tx.lock('commands', { org, id }) : found;
    if (id === undefined || command === undefined || readable(command).fence === '0') continue;
    if (!isIntact(command)) return true;
    if ((await tx.get('leases', { org, id: leaseId(id, command.fence) })) !== undefined) return true;
  }
  return false;
}
