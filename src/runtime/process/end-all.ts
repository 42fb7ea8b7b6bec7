import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { InstanceRecord } from '../supervise/record.ts';
import { StateFile } from '../supervise/state-file.ts';
import { endContainer } from './containment.ts';
import { INSTANCE_VARIABLE, RUNTIME_VARIABLE } from './environment.ts';
import { storedIdentity } from './identity.ts';
import { type Marked, markedWith, signalGroup } from './proc.ts';

/** The time an app has to end by itself before it is killed. */
const GRACE_MS = 10_000;
const POLL_MS = 50;

/**
 * Ends every process that an agent of this place started, for `evident down`. The caller has the place alone: an agent
 * would start them again. The orders stay on record, and the next agent starts everything anew. This end must
 * not count towards a crash loop: each begins as another instance.
 */
export async function endAll(dir: string): Promise<number> {
  const identity = await storedIdentity(dir);
  if (identity === null) return 0;
  const ours = () => markedWith(RUNTIME_VARIABLE).filter(({ value }) => value === identity);
  const count = instancesOf(ours());
  for (const group of groupsOf(ours())) signalGroup(group, 'SIGTERM');
  for (let left = GRACE_MS; left > 0 && ours().length > 0; left -= POLL_MS) await wait(POLL_MS);
  for (const group of groupsOf(ours())) signalGroup(group, 'SIGKILL');
  const homes = join(dir, 'instances');
  for (const uid of existsSync(homes) ? readdirSync(homes) : []) await endContainer(join(homes, uid));
  const services = join(dir, 'services');
  for (const record of existsSync(services) ? await StateFile.all(services) : []) {
    const instances = record.instances.filter((i) => !i.retiring).map(asNew);
    await new StateFile(services, record.service).save({ ...record, instances });
  }
  return count;
}

/** Instances are counted by their mark: some have several groups. */
function instancesOf(marked: readonly Marked[]): number {
  const pids = new Set(marked.map(({ id }) => id.pid));
  const instances = markedWith(INSTANCE_VARIABLE).filter(({ id }) => pids.has(id.pid));
  return new Set(instances.map(({ value }) => value)).size;
}

const groupsOf = (marked: readonly Marked[]) => new Set(marked.map(({ group }) => group));

const asNew = (instance: InstanceRecord): InstanceRecord => ({
  ...instance,
  uid: randomUUID(),
  process: null,
  startedAt: null,
  lastExit: null,
  restarts: 0,
  shortLives: 0,
});
