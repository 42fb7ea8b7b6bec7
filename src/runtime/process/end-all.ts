import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { InstanceRecord } from '../supervise/record.ts';
import { StateFile } from '../supervise/state-file.ts';
import { RUNTIME_VARIABLE } from './environment.ts';
import { knownIdentity } from './identity.ts';
import { type Marked, markedWith, signalGroup } from './proc.ts';

/** How long an app may take to end by itself; what has not ended then is killed. */
const GRACE_MS = 10_000;
const LOOK_EVERY_MS = 50;

/**
 * Ends every process that was started by an agent of this place, for `evident down`. Whoever calls it has the place to
 * himself: an agent would start them again. What was wanted stays wanted, and the next agent starts it anew. That is no
 * end of the app's own, and must not count towards a crash loop: each begins as another instance.
 */
export async function endAll(dir: string): Promise<number> {
  const identity = await knownIdentity(dir);
  if (identity === null) return 0;
  const ours = () => markedWith(RUNTIME_VARIABLE).filter(({ value }) => value === identity);
  const found = groupsOf(ours());
  for (const group of found) signalGroup(group, 'SIGTERM');
  for (let left = GRACE_MS; left > 0 && ours().length > 0; left -= LOOK_EVERY_MS) await wait(LOOK_EVERY_MS);
  for (const group of groupsOf(ours())) signalGroup(group, 'SIGKILL');
  const services = join(dir, 'services');
  for (const record of existsSync(services) ? await StateFile.all(services) : []) {
    const instances = record.instances.filter((i) => !i.retiring).map(anew);
    await new StateFile(services, record.service).save({ ...record, instances });
  }
  return found.size;
}

const groupsOf = (marked: readonly Marked[]) => new Set(marked.map(({ group }) => group));

const anew = (instance: InstanceRecord): InstanceRecord => ({
  ...instance,
  uid: randomUUID(),
  process: null,
  startedAt: null,
  lastExit: null,
  restarts: 0,
  shortLives: 0,
});
