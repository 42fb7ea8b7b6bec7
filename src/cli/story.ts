import { join } from 'node:path';
import pc from 'picocolors';
import type { Caller } from '../access/caller.ts';
import { claimAt, evidenceOf, transitionsOf } from '../evidence/read.ts';
import { register } from '../evidence/report/register.ts';
import { report } from '../evidence/report/report.ts';
import { submit } from '../evidence/submit/submit.ts';
import { deploy } from '../intent/deploy.ts';
import { acquire } from '../ownership/acquire.ts';
import { heartbeat } from '../ownership/heartbeat.ts';
import type { Offer } from '../ownership/offer.ts';
import { publish } from '../ownership/publish.ts';
import { isIntact, readable } from '../store/broken-row.ts';
import { printRefusals } from './print-refusals.ts';
import { dataDirectory, type StoreOptions } from './store-options.ts';
import { granted, StoryPlatform } from './story-platform.ts';

const ARTIFACT = `sha256:${'9b1f'.repeat(16)}`;

/**
 * Plays a deployment from request to running, through a lost worker, a late report and a silent agent. The
 * actors are scripted; every claim, verdict and refusal comes from the real code. It is kept in SQLite:
 * killed at any line and run again, it continues from the records with the next revision of the same service.
 */
export function playStory(options: StoreOptions): Promise<void> {
  return printRefusals(async () => {
    const dir = join(dataDirectory(options), 'story');
    const platform = await StoryPlatform.open(dir);
    try {
      await tell(platform, dir);
    } finally {
      await platform.store.close();
    }
  });
}

async function tell(platform: StoryPlatform, dir: string): Promise<void> {
  const { host, org, service } = platform;
  const [ana, first, second, agent] = [
    platform.as('deployer', 'ana'),
    platform.as('builder', 'builder-1'),
    platform.as('builder', 'builder-2'),
    platform.as('agent', 'agent-lab'),
  ];
  console.log(
    pc.bold('Evident, told by one deployment. Every line with a mark is a claim, computed from evidence.'),
  );

  console.log(pc.dim(`Kept in ${dir}; remove it to begin anew.`));
  if (platform.output > 1) {
    platform.say(
      `told before: what the ledger has of web@lab, after ${platform.output - 1} of its revisions`,
    );
    await platform.claim();
  }

  platform.say('ana deploys web@lab: two replicas, from source');
  granted(
    await deploy(host, ana, {
      service,
      origin: { kind: 'source', digest: ARTIFACT },
      spec: { port: 8080, replicas: 2 },
    }),
  );
  await platform.claim();
  await publish(host, { name: 'server', instance: 'server-1' }, org);
  await platform.pass(2);

  platform.say('builder-1 takes the build, heartbeats for a while, and freezes');
  const lost = await take(platform, first, 'build');
  await platform.pass(6, (s) =>
    s % 3 === 0 ? heartbeat(host, first, lost.id, lost.fence) : Promise.resolve(),
  );
  await platform.pass(31);

  platform.say('builder-2 takes it over, under a higher fence');
  const held = await take(platform, second, 'build');
  await platform.pass(3);

  platform.say('builder-1 wakes up and reports its artifact, too late, under its old fence');
  await platform.store.transact((tx) => tx.insert('artifacts', { org, digest: ARTIFACT, size: 2_113_443 }));
  platform.verdicts(
    await submitFor(platform, first, lost, 'artifact.stored', { digest: ARTIFACT, size: 2_113_443 }),
  );
  await platform.claim();

  platform.say('builder-2 stores the artifact');
  platform.verdicts(
    await submitFor(platform, second, held, 'artifact.stored', { digest: ARTIFACT, size: 2_113_443 }),
  );
  await platform.claim();

  platform.say('the agent of the target registers, applies it, and watches');
  const { epoch } = granted(
    await register(host, agent, 'lab', {
      agent: 'agent-lab',
      instance: agent.instance,
      version: '1',
      identity: 'lab',
    }),
  );
  await publish(host, { name: 'server', instance: 'server-1' }, org);
  const apply = await take(platform, agent, 'apply');
  await platform.pass(1);
  platform.verdicts(await submitFor(platform, agent, apply, 'runtime.applied', {}));
  await platform.claim();
  let seq = 0;
  const reportReady = async (ready: number) => {
    const reported = { epoch, seq: String(++seq), complete: true, ...lab(apply, ready) };
    granted(await report(host, agent, 'lab', reported));
  };
  await platform.pass(1, () => reportReady(1));
  await platform.pass(5, () => reportReady(2));

  platform.say('the agent falls silent; nobody writes anything, and the claim decays by itself');
  await platform.pass(18);
  platform.say('the agent is back');
  await platform.pass(1, () => reportReady(2));

  await epilogue(platform);
}

async function take(platform: StoryPlatform, caller: Caller, kind: 'build' | 'apply'): Promise<Offer> {
  const target = kind === 'build' ? {} : { target: 'lab' };
  const request = { kinds: [kind], worker: caller.name, instance: caller.instance, ...target };
  const {
    offers: [offer],
  } = granted(await acquire(platform.host, caller, request));
  if (offer === undefined) throw new Error('the story cannot go on: there was nothing to acquire');
  granted(await heartbeat(platform.host, caller, offer.id, offer.fence));
  await platform.claim();
  return offer;
}

function submitFor(platform: StoryPlatform, caller: Caller, offer: Offer, kind: string, body: object) {
  const { service, revision, attempt, command, fence } = offer;
  const id = `${command}.${kind}.${fence}`;
  return submit(platform.host, caller, [{ id, kind, service, revision, attempt, command, fence, body }]);
}

/** The instances at the target, as its agent observes them. */
function lab({ revision, attempt, fence }: Offer, ready: number) {
  const instances = [1, 2].map((n) => ({
    uid: `u${n}-${revision}`,
    name: `web-${n}`,
    service: 'web@lab',
    revision,
    attempt,
    fence,
    artifact: ARTIFACT,
    phase: n <= ready ? 'running' : 'starting',
    ready: n <= ready,
    restarts: 0,
  }));
  return {
    instances,
    services: [{ service: 'web@lab', route: { answers: ready > 0, revision, attempt } }],
  };
}

/**
 * The records that remain: transitions with their owners, rejected evidence, and the past as it was known
 * then.
 */
async function epilogue(platform: StoryPlatform): Promise<void> {
  const { host, org, service } = platform;
  platform.say('what is on record');
  const transitions = (await transitionsOf(host, org, service)).filter(isIntact);
  for (const { at, from, to, owner, evidence, revision } of transitions) {
    if (revision !== platform.output) continue;
    const time = new Date(at).toISOString().slice(11, 19);
    console.log(
      `  ${pc.dim(time)}  ${(from ?? 'nothing').padEnd(22)} → ${to.padEnd(22)} ${pc.dim(`${owner}, ${evidence}`)}`,
    );
  }
  const rows = await evidenceOf(host, org, service);
  const rejected = rows.filter((row) => readable(row).verdict === 'rejected');
  console.log(`  ${rows.length} pieces of evidence, ${rejected.length} of them rejected and kept.`);
  const then = platform.now - 3_000;
  const past = granted(await claimAt(host, org, service, then)).claim;
  console.log(`  Three seconds ago we would have said: ${pc.bold(past.message.title)}.`);
}
