import type { Rng } from '../../lab/rng.ts';
import type { Origin, Spec } from '../../src/contract/intent.ts';
import type { Answer } from '../../src/contract/problem.ts';
import type { Acted, Idempotency } from '../../src/intent/acted.ts';
import { cancel } from '../../src/intent/cancel.ts';
import { deploy } from '../../src/intent/deploy.ts';
import { restart, rollback, scale } from '../../src/intent/derive.ts';
import { retry } from '../../src/intent/retry.ts';
import { teardown } from '../../src/intent/teardown.ts';
import type { Sim } from '../sim.ts';

type Verb = (key: Idempotency) => Promise<Answer<Acted>>;

/** A person at a keyboard, or their script: acts, waits for an answer, repeats with the same key when none comes. */
export function startClient(sim: Sim, org: string, name: string): void {
  const { kernel, rng } = sim;
  const process = sim.process(`${org}:${name}`);
  const caller = sim.caller(org, rng.chance(0.2) ? 'operator' : 'deployer', name);
  let requests = 0;
  const patient = rng.chance(0.5);

  const act = async () => {
    const mine = sim.services.filter((s) => s.org === org && s.namespace === undefined);
    const { service } = rng.pick(mine);
    const what = choose(sim, service);
    const key = `${name}-${++requests}`;
    let fingerprint = what.name;
    for (let tries = 0; tries < 4; tries++) {
      const idempotency = { key, fingerprint };
      const reply = await sim.call(`${name} asks to ${what.name} ${service}`, () =>
        what.verb(sim, caller, service)(idempotency),
      );
      if (reply.kind === 'answer') {
        const answer = reply.value;
        if (answer.ok) {
          const { revision, attempt, replayed } = answer;
          sim.happened({
            kind: 'answered',
            org,
            token: caller.name,
            key,
            fingerprint,
            service,
            revision,
            attempt,
            replayed,
          });
          if (sim.strikes(sim.rates.duplicate, 'request repeated after its answer')) continue;
          if (sim.strikes(sim.rates.duplicate, 'key reused for another request')) {
            fingerprint = `${what.name} something else`;
            continue;
          }
        } else if (answer.code === 'deployment_in_progress') sim.hit('refused by policy');
        return;
      }
      sim.hit('request repeated with its key');
      await kernel.park(rng.int(100, 2_000), `${name} tries again`);
    }
  };

  const loop = async () => {
    await kernel.park(rng.int(0, 500), `${name} waits before its first request`);
    while (!sim.healing) {
      await act();
      const thinks = rng.chance(0.3)
        ? rng.int(10, 600)
        : patient
          ? rng.int(12_000, 60_000)
          : rng.int(2_000, 20_000);
      await kernel.park(thinks, `${name} waits before its next request`);
    }
  };
  kernel.after(0, process, `${name} starts`, loop);
}

interface ChosenVerb {
  readonly name: string;
  readonly verb: (sim: Sim, caller: Parameters<typeof deploy>[1], service: string) => Verb;
}

function choose(sim: Sim, service: string): ChosenVerb {
  const { rng } = sim;
  const row = [...sim.store.tables.services.values()].find((s) => s.service === service);
  if (sim.observed.has(service)) return observation(sim, row !== undefined);
  if (row === undefined) return deployment(sim, service);
  const busy = row.outcome === 'in_progress';
  const name = rng.weighted({
    deploy: 10,
    cancel: busy ? 5 : 1,
    retry: busy ? 1 : row.outcome === 'succeeded' ? 2 : 14,
    restart: 2,
    rollback: 2,
    scale: 4,
    config: 1,
    teardown: 3,
    force: 1,
  });
  switch (name) {
    case 'deploy':
      return deployment(sim, service);
    case 'cancel': {
      if (busy) sim.hit('cancel during work');
      const queued = rng.chance(0.4) ? row.newest : null;
      return { name, verb: (s, c, at) => (key) => cancel(s.host, c, at, queued, key) };
    }
    case 'retry':
      return { name, verb: (s, c, at) => (key) => retry(s.host, c, at, key) };
    case 'restart':
      return { name, verb: (s, c, at) => (key) => restart(s.host, c, at, key) };
    case 'rollback': {
      const to = rng.chance(0.5) ? null : rng.int(1, row.newest);
      return { name, verb: (s, c, at) => (key) => rollback(s.host, c, at, to, key) };
    }
    case 'scale': {
      if (busy) sim.hit('scale during work');
      const replicas = rng.int(0, 3);
      return {
        name: `scale to ${replicas}`,
        verb: (s, c, at) => (key) => scale(s.host, c, at, replicas, key),
      };
    }
    case 'config': {
      const spec = specFor(rng);
      return { name, verb: (s, c, at) => (key) => deploy(s.host, c, { service: at, spec }, key) };
    }
    case 'teardown':
    case 'force': {
      if (busy) sim.hit('teardown during work');
      const force = name === 'force' ? { reason: 'it must go' } : null;
      const role = force === null ? 'deployer' : rng.chance(0.8) ? 'operator' : 'viewer';
      return { name, verb: (s, c, at) => (key) => teardown(s.host, { ...c, role }, at, force, key) };
    }
  }
}

function deployment(sim: Sim, service: string): ChosenVerb {
  const { rng } = sim;
  const spec = specFor(rng);
  const origin = originFor(sim);
  const busy = [...sim.store.tables.services.values()].some(
    (s) => s.service === service && s.outcome === 'in_progress',
  );
  if (busy) sim.hit(spec.concurrency === 'queue' ? 'queue behind another' : 'superseded during work');
  return {
    name: `deploy ${origin.kind}`,
    verb: (s, c, at) => (key) => deploy(s.host, c, { service: at, origin, spec }, key),
  };
}

/** A person can only request to observe a service that another tool deploys; everything else is refused. */
function observation({ rng }: Sim, known: boolean): ChosenVerb {
  if (known && rng.chance(0.7))
    return { name: 'restart', verb: (s, c, at) => (key) => restart(s.host, c, at, key) };
  const spec = specFor(rng);
  const origin = { kind: 'observe' } as const;
  return {
    name: 'deploy observe',
    verb: (s, c, at) => (key) => deploy(s.host, c, { service: at, origin, spec }, key),
  };
}

function originFor(sim: Sim): Origin {
  const { rng } = sim;
  const hex = (n: number) => n.toString(16).padStart(64, '0');
  switch (rng.weighted({ source: 6, image: 2, tag: 1, artifact: 3, missing: 0.5 })) {
    case 'source':
      return { kind: 'source', digest: `sha256:${hex(rng.int(1, 1e9))}` };
    case 'image':
      return { kind: 'image', image: `registry.example/app@sha256:${hex(rng.int(1, 1e9))}` };
    case 'tag':
      return { kind: 'image', image: 'registry.example/app:1.2' };
    case 'artifact': {
      const held = [...sim.store.tables.artifacts.values()];
      if (held.length > 0) return { kind: 'artifact', digest: rng.pick(held).digest };
      return { kind: 'source', digest: `sha256:${hex(rng.int(1, 1e9))}` };
    }
    case 'missing':
      return { kind: 'artifact', digest: `sha256:${hex(1e12 + rng.int(1, 1e9))}` };
  }
}

/** Short deadlines, so that a schedule of a minute or two reaches every one of them. */
function specFor(rng: Rng): Spec {
  const short = (from: number, to: number) => (rng.chance(0.5) ? rng.int(from, to) : 120_000);
  return {
    ...rng.pick([{ port: 8080 }, { port: 8080 }, { port: null }, { port: 'auto' as const }, {}]),
    replicas: rng.chance(0.1) ? 0 : rng.int(1, 3),
    stabilityMs: rng.pick([0, 500, 1_000, 3_000]),
    concurrency: rng.weighted({ newest: 5, queue: 4, refuse: 1 }),
    deadlines: {
      publishMs: short(2_000, 10_000),
      queueMs: short(3_000, 20_000),
      buildMs: short(5_000, 30_000),
      applyQueueMs: short(3_000, 20_000),
      applyMs: short(3_000, 20_000),
      startMs: short(4_000, 20_000),
      degradedMs: short(2_000, 12_000),
      stopMs: short(5_000, 20_000),
    },
  };
}
