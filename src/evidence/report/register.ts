import { authorize } from '../../access/authorize.ts';
import type { Caller } from '../../access/caller.ts';
import { addDigits, type Digits, maxDigits, ZERO } from '../../contract/digits.ts';
import type { ObservationRule, Workload } from '../../contract/observation.ts';
import { type Answer, problem } from '../../contract/problem.ts';
import type { RegistrationRequest } from '../../contract/report.ts';
import { readable, type Stored } from '../../store/broken-row.ts';
import type { AgentRow } from '../../store/schema.ts';
import { sourceOf } from '../door/bearer.ts';
import type { Door } from '../door/door.ts';
import { readFacts } from '../door/facts-cache.ts';
import { hold, settleHeld } from '../door/hold.ts';
import type { Host } from '../door/host.ts';
import { agentLiveness } from '../door/liveness.ts';
import { requeue } from '../door/requeue.ts';
import type { ServiceFile } from '../door/service-file.ts';
import { TARGET_SIZE, throughDoor } from '../door/through-door.ts';
import { currentAgent } from './current-agent.ts';
import { knownPlaces, NO_PLACES, runsAfter } from './known-places.ts';
import { ruleOf } from './observation-rule.ts';

/**
 * Registers an agent for a target. An agent that restarts is another instance and gets a new epoch, so its numbers may
 * begin at 1 again (F64). A newer registration fences the older one: the older one's leases are revoked and
 * requeued in this transaction, and its instance may never register again. The current instance gets the same epoch
 * when it registers again; for another identity it must be another instance, because its reports were about another
 * cluster.
 */
export function register(
  host: Host,
  caller: Caller,
  target: string,
  { defaultNamespace = null, observeOnly = null, ...registration }: RegistrationRequest,
): Promise<Answer<RegistrationResult>> {
  const { org } = caller;
  const prefetch = [
    { table: 'agents', keys: [{ org, target }], lock: true },
    { table: 'registrations', keys: [{ org, target, instance: registration.instance }] },
  ] as const;
  return throughDoor(
    host,
    org,
    async (door) => {
      const { tx } = door;
      const allowed = authorize(caller, { operation: 'represent', target });
      if (!allowed.ok) return allowed;
      const current = await currentAgent(door, target);
      if (current?.instance === registration.instance) {
        if (current.identity === registration.identity && current.epoch !== undefined)
          return { ok: true, epoch: current.epoch, now: door.at, ...(await observed(door, target, null)) };
        return problem(
          'instance_fenced',
          'This instance has registered for another identity; register again with a new instance.',
        );
      }
      const earlier = await tx.get('registrations', { org, target, instance: registration.instance });
      // mutant: fenced-instance
      if (earlier !== undefined) {
        // After a recovery the target has no current agent. The answer then names no holder, so that an agent that may go
        // on under a new instance is not mistaken for one that has been replaced.
        const { agent = '', epoch = ZERO } = current ?? {};
        return current !== undefined && current.instance !== ''
          ? problem('instance_fenced', 'A newer registration has replaced this instance; start a new one.', {
              holder: { agent, epoch },
            })
          : problem('instance_fenced', 'The records were restored; register again with a new instance.');
      }
      const before = current === undefined ? NO_PLACES : (knownPlaces(current) ?? NO_PLACES);
      if (before.retired.some(({ identity }) => identity === registration.identity))
        return problem(
          'identity_retired',
          'An operator has retired this place; register it for a target of its own, or as another place.',
        );
      const epoch = addDigits(maxDigits(current?.epoch ?? ZERO, String(door.head.floor)), 1);
      const changed = current !== undefined && current.identity !== registration.identity;
      const files = changed ? await targetFiles(door, target) : [];
      const scopes = changed ? await tx.select('scopes', { org, target }, { order: 'scope' }) : [];
      const evidence = await door.append({
        kind: 'agent.heartbeat',
        source: { ...sourceOf(caller, 'agent'), instance: registration.instance },
        target,
        body: { epoch, agent: registration.agent, identity: registration.identity, changed },
      });
      const run = {
        identity: registration.identity,
        epoch,
        position: evidence.position,
        at: door.at,
      };
      const row: AgentRow = {
        org,
        target,
        ...registration,
        epoch,
        registeredAt: door.at,
        evidence: evidence.id,
        identityEpoch: (changed ? undefined : current?.identityEpoch) ?? epoch,
        identitySince: (changed ? undefined : current?.identitySince) ?? door.at,
        identityChanged: changed || (current?.identityChanged ?? false),
        places: { runs: runsAfter(before, run, scopes), retired: before.retired },
        seenAt: door.at,
        skewMs: null,
        observeOnly,
      };
      const { registeredAt, identityEpoch, identitySince, identityChanged, places } = row;
      const identity = {
        registeredAt,
        evidence: evidence.id,
        identityEpoch,
        identitySince,
        identityChanged,
        places,
      };
      await tx.insert('registrations', { org, target, instance: registration.instance, epoch, ...identity });
      if (current === undefined) await tx.insert('agents', row);
      else
        await tx.update(
          'agents',
          { org, target },
          current.epoch === undefined ? {} : { epoch: current.epoch },
          row,
        );
      for (const file of files) {
        file.liveness = { ...file.liveness, agent: agentLiveness(row, door.at) };
        await door.rejudge(file, 'agent', evidence.id);
      }
      // mutant: fenced-leases-requeued
      await requeueOlder(door, target, epoch, caller, changed);
      for (const file of files) await settleHeld(door, file, caller.name);
      return { ok: true, epoch, now: door.at, ...(await observed(door, target, defaultNamespace)) };
    },
    { prefetch, size: TARGET_SIZE, caller },
  );
}

/** The answer to a registration. */
interface RegistrationResult {
  readonly epoch: Digits;
  readonly now: number;
  readonly observation: ObservationRule | null;
  /** Services whose names are not those of their workloads, because others had these first. */
  readonly names: readonly { readonly service: string; readonly workload: Workload }[];
  readonly defaultNamespace: string | null;
  /** Namespaces with services on record: one that is empty by now is still to be reported, as empty. */
  readonly namespaces: readonly string[];
}

/** The rule of the target, and the names that an agent cannot know by itself. */
async function observed(
  door: Door,
  target: string,
  named: string | null,
): Promise<Pick<RegistrationResult, 'observation' | 'names' | 'defaultNamespace' | 'namespaces'>> {
  const { tx, org } = door;
  const observation = await ruleOf(tx, org, target);
  const defaultNamespace = await settleNamespace(door, target, named);
  if (observation === null) return { observation, defaultNamespace, names: [], namespaces: [] };
  const names = [];
  const namespaces = new Set<string>();
  for (const row of await tx.select('services', { org, target }, { order: 'service' })) {
    const { service = '', proven } = readable(row);
    const workload = readFacts(proven)?.observed.workload?.workload;
    if (workload !== undefined) namespaces.add(workload.namespace);
    if (workload !== undefined && service.startsWith(`${workload.name}-${workload.kind.toLowerCase()}`))
      names.push({ service, workload });
  }
  return { observation, defaultNamespace, names, namespaces: [...namespaces] };
}

/** The default namespace is part of every name there: the first that was registered stays, whatever a later agent says. */
async function settleNamespace(
  { tx, org, at }: Door,
  target: string,
  named: string | null,
): Promise<string | null> {
  const row = await tx.get('targets', { org, target });
  const fixed = readable(row).defaultNamespace ?? null;
  if (fixed !== null || named === null) return fixed;
  const added = { runtime: null, createdAt: at, removedAt: null, observation: null, defaultNamespace: named };
  if (row === undefined) await tx.insert('targets', { org, target, ...added });
  else await tx.update('targets', { org, target }, {}, { defaultNamespace: named });
  return named;
}

/** The files of every service of a target, opened. */
export async function targetFiles(door: Door, target: string) {
  const { org } = door;
  return openAll(door, await door.tx.select('services', { org, target }, { order: 'service' }));
}

/** Opens the files of these services, and so records what time alone has changed. */
export async function openAll(door: Door, rows: readonly Stored<'services'>[]): Promise<ServiceFile[]> {
  const files: ServiceFile[] = [];
  const services = rows.flatMap((row) => readable(row).service ?? []);
  await door.prefetch(services);
  for (const service of services) {
    const file = await door.file(service);
    if (file !== null) files.push(file);
  }
  return files;
}

/**
 * Requeues the commands that older epochs hold: no lapse, because no agent failed. An apply that another place took is
 * held: that place may carry it out, and nobody can tell it to stop (F114).
 */
async function requeueOlder(
  door: Door,
  target: string,
  epoch: Digits,
  caller: Caller,
  isOtherPlace: boolean,
): Promise<void> {
  const open = await door.tx.select('leases', { org: door.org, target, endedAt: null }, { order: 'id' });
  for (const lease of open) {
    if (readable(lease).kind === 'build' || readable(lease).epoch === epoch) continue;
    const isHeld =
      isOtherPlace && readable(lease).kind === 'apply' && readable(lease).acknowledgedAt !== null;
    if (isHeld) await hold(door, lease, caller.name);
    else await requeue(door, lease, 'registration', caller.name);
  }
}
