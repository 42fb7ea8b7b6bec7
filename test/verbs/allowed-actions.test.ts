import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SERVICE_ACTIONS } from '../../src/contract/actions.ts';
import type { Claim } from '../../src/contract/claim.ts';
import { claimNow } from '../../src/evidence/read.ts';
import { beat } from '../../src/repair/beat.ts';
import { type Lab, newLab, OBSERVE, ORG, type Platform, SOURCE, WEB } from './driver.ts';
import { dryRun } from './dry-run.ts';
import { applying, artifactReady, building, running, starting, waiting } from './life.ts';
import { granted } from './names.ts';
import { live, lives } from './random-life.ts';

const readClaim = async (lab: Platform, service: string) =>
  granted(await claimNow(lab.host, ORG, service, 'user', { readsLastGood: true })).claim;

/** Reads the claim and asserts that each verb, requested at the same instant, answers as the claim decides. */
async function predictsVerbs(lab: Platform, service: string): Promise<Claim> {
  const claim = await readClaim(lab, service);
  const predicted: string[] = [];
  const answered: string[] = [];
  for (const decision of claim.actions) {
    const { action, allowed } = decision;
    predicted.push(
      allowed === false
        ? `${action}: ${decision.whyNot.code}, ${decision.whyNot.detail}`
        : `${action}: ${allowed}`,
    );
    const answer = await dryRun(lab, action, service);
    answered.push(answer.ok ? `${action}: true` : `${action}: ${answer.code}, ${answer.detail}`);
  }
  if (predicted.join() !== answered.join()) expect(predicted, claim.state).toEqual(answered);
  return claim;
}

/** The path and the proof name the same states as reached, and the proof stands at one of them. */
function pathAgrees({ path, proof, state, desired }: Claim): void {
  const reached = path.filter((step) => step.reached).map((step) => step.state);
  const current = path.filter((step) => step.current).map((step) => step.state);
  const onPath = path.some((step) => step.state === state);
  const agrees =
    reached.join() === proof.reached.join() && current.length === 1 && (!onPath || current[0] === state);
  if (!agrees) expect.fail(`r${desired.revision} is ${state}: ${JSON.stringify({ path, proof })}`);
}

const refusals = ({ actions }: Claim) =>
  Object.fromEntries(
    actions.flatMap((decision) => (decision.allowed ? [] : [[decision.action, codeOf(decision)]])),
  );
const codeOf = (decision: Claim['actions'][number]) =>
  decision.allowed === false ? decision.whyNot.code : decision.allowed;
const way = ({ path }: Claim) =>
  path.map(({ state, reached, current }) => `${reached ? '+' : '-'}${state}${current ? '!' : ''}`).join(' ');

const FIRST = { rollback: 'nothing_to_roll_back' };
const UNBUILT = { restart: 'no_artifact', scale: 'no_artifact' };
const RUNS = { retry: 'retry_not_possible', cancel: 'nothing_to_cancel' };
const ELSEWHERE = {
  rollback: 'managed_elsewhere',
  restart: 'managed_elsewhere',
  scale: 'managed_elsewhere',
  teardown: 'managed_elsewhere',
};

const STATES: readonly [string, (lab: Lab) => Promise<unknown>, object, string][] = [
  [
    'waiting_for_worker',
    (lab) => waiting(lab),
    { retry: 'retry_not_possible', ...FIRST, ...UNBUILT },
    '+accepted +waiting_for_worker! -building -artifact_ready -applying_runtime_state -starting -running',
  ],
  [
    'building',
    (lab) => building(lab),
    { retry: 'retry_not_possible', ...FIRST, ...UNBUILT },
    '+accepted +waiting_for_worker +building! -artifact_ready -applying_runtime_state -starting -running',
  ],
  [
    'cancelling',
    async (lab) => {
      await building(lab);
      await lab.cancel();
    },
    { retry: 'retry_not_possible', ...FIRST, ...UNBUILT },
    '+accepted +waiting_for_worker +building! -artifact_ready -applying_runtime_state -starting -running',
  ],
  [
    'failed',
    async (lab) => (await building(lab)).fails(),
    { cancel: 'nothing_to_cancel', ...FIRST, ...UNBUILT },
    '+accepted +waiting_for_worker +building! -artifact_ready -applying_runtime_state -starting -running',
  ],
  [
    'artifact_ready',
    (lab) => artifactReady(lab),
    { retry: 'retry_not_possible', ...FIRST },
    '+accepted +waiting_for_worker +building +artifact_ready! -applying_runtime_state -starting -running',
  ],
  [
    'applying_runtime_state',
    (lab) => applying(lab),
    { retry: 'retry_not_possible', cancel: 'cancel_not_possible', ...FIRST },
    '+accepted +waiting_for_worker +building +artifact_ready +applying_runtime_state! -starting -running',
  ],
  [
    'starting',
    (lab) => starting(lab),
    { retry: 'retry_not_possible', cancel: 'cancel_not_possible', ...FIRST },
    '+accepted +waiting_for_worker +building +artifact_ready +applying_runtime_state +starting! -running',
  ],
  [
    'running',
    (lab) => running(lab),
    { ...RUNS, ...FIRST },
    '+accepted +waiting_for_worker +building +artifact_ready +applying_runtime_state +starting +running!',
  ],
  [
    'unknown',
    async (lab) => {
      await running(lab);
      lab.sleep(60_000);
    },
    { ...RUNS, ...FIRST, teardown: 'state_unknown' },
    '+accepted +waiting_for_worker +building +artifact_ready +applying_runtime_state +starting +running!',
  ],
  [
    'accepted',
    async (lab) => {
      await running(lab);
      await lab.restart();
    },
    { retry: 'retry_not_possible', ...FIRST },
    '+accepted! -artifact_ready -applying_runtime_state -starting -running',
  ],
  [
    'stopping',
    async (lab) => {
      await running(lab);
      await lab.teardown();
    },
    { retry: 'retry_not_possible', ...UNBUILT },
    '+stopping! -stopped',
  ],
  [
    'unknown',
    (lab) => lab.deploy(OBSERVE),
    { retry: 'retry_not_possible', cancel: 'nothing_to_cancel', ...ELSEWHERE, teardown: 'state_unknown' },
    '+accepted! -starting -running',
  ],
];

describe('the actions of a claim', () => {
  it.each(STATES)('predict the answers of the verbs: %s', async (state, begin, refused, path) => {
    const lab = newLab();
    await begin(lab);
    const claim = await predictsVerbs(lab, WEB);
    pathAgrees(claim);
    expect([claim.state, way(claim)]).toEqual([state, path]);
    expect(refusals(claim)).toEqual(refused);
  });

  it('belong to the revision that a deadline makes active, though it is not recorded yet', async () => {
    const lab = newLab();
    const agent = await starting(lab, { deadlines: { startMs: 5_000 } });
    await agent.sees([]);
    await lab.deploy(SOURCE, { concurrency: 'queue' });
    const claims: Claim[] = [];
    for (let second = 0; second < 8; second++) {
      lab.sleep(1_000);
      // The server is awake, so that deadlines count, and no sweep has recorded what is due.
      await beat(lab.host, 'server-1');
      claims.push(await predictsVerbs(lab, WEB));
    }
    const due = claims.filter(({ state, outcome }) => state === 'failed' && outcome === 'in_progress');
    expect(due.length).toBeGreaterThan(0);
    expect(due.map(refusals)).toEqual(
      due.map(() => ({ retry: 'retry_not_possible', rollback: 'nothing_to_roll_back', ...UNBUILT })),
    );
  });

  it('are empty at a past instant, and leave a rollback undecided where earlier revisions are not read', async () => {
    const lab = newLab();
    await running(lab);
    await lab.restart();
    expect((await lab.claimAt(lab.now)).actions).toEqual([]);
    const { actions } = await lab.claim();
    expect(actions.map(({ action }) => action)).toEqual(SERVICE_ACTIONS);
    expect(actions.find(({ action }) => action === 'rollback')).toEqual({
      action: 'rollback',
      allowed: null,
    });
  });

  it('predict the answers of the verbs, in any random life', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(lives(40), async (steps) => {
        const lab = newLab();
        await live(lab, steps, async () => {
          for (const { service } of lab.rows('services')) pathAgrees(await predictsVerbs(lab, service));
        });
      }),
      { numRuns: 10 },
    );
  });
});
