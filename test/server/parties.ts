import { createHash } from 'node:crypto';
import { packTar } from 'modern-tar';
import { expect } from 'vitest';
import type { Answered, Api } from './api.ts';

/** A source as a person would send it. */
export async function sourceForm(
  spec: object,
  files: Readonly<Record<string, string>> = { 'index.html': 'hello' },
): Promise<FormData> {
  const entries = Object.entries(files).map(([name, body]) => ({
    header: { name, size: Buffer.byteLength(body), mtime: new Date(0) },
    body,
  }));
  const form = new FormData();
  form.set('spec', JSON.stringify(spec));
  form.set('source', new Blob([(await packTar(entries)) as Uint8Array<ArrayBuffer>]), 'source.tar');
  return form;
}

export const digestOf = (bytes: string | Uint8Array) =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
export const ok = (answer: Answered, status = 200) => {
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  return answer.body;
};

/** A builder that speaks the protocol, one call at a time. */
export class Builder {
  readonly api: Api;
  readonly name: string;

  constructor(api: Api, name = 'builder-a') {
    this.api = api;
    this.name = name;
  }

  async take(waitMs = 5_000) {
    return ok(
      await this.api.post('/v1/leases', {
        kinds: ['build'],
        worker: this.name,
        instance: `${this.name}-1`,
        waitMs,
      }),
    ).lease;
  }

  async builds(lease: Lease, bytes = `built ${lease.service} ${lease.revision}`): Promise<string> {
    ok(await this.api.post(`/v1/leases/${lease.id}/heartbeat`, { fence: lease.fence }));
    const digest = digestOf(bytes);
    const put = await this.api.call('PUT', `/v1/artifacts/${digest}`, {
      raw: bytes,
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect([200, 201]).toContain(put.status);
    const body = { digest, size: bytes.length, plan: { command: ['run'], port: 8080 } };
    const { results } = ok(await submit(this.api, lease, 'artifact.stored', body));
    expect(results[0]).toMatchObject({ verdict: 'admitted' });
    return digest;
  }
}

export interface Lease {
  readonly id: string;
  readonly command: string;
  readonly service: string;
  readonly revision: number;
  readonly attempt: number;
  readonly fence: string;
}

let sent = 0;

export function submit(
  api: Api,
  lease: Lease,
  kind: string,
  body: object,
  more: object = {},
): Promise<Answered> {
  const { service, revision, attempt, command, fence } = lease;
  const item = { id: `ev-${++sent}`, kind, service, revision, attempt, command, fence, body, ...more };
  return api.post('/v1/evidence', { items: [item] });
}

export class Agent {
  readonly api: Api;
  readonly target: string;
  readonly instance: string;
  epoch = '';
  seq = 0;
  base = '';

  constructor(api: Api, target = 'lab', instance = 'agent-1') {
    this.api = api;
    this.target = target;
    this.instance = instance;
  }

  /** The same agent, which speaks to another server from now on. */
  at(api: Api): Agent {
    const agent = new Agent(api.as(this.api.token), this.target, this.instance);
    return Object.assign(agent, { epoch: this.epoch, seq: this.seq, base: this.base });
  }

  async register(identity = 'uid-1') {
    const body = { agent: 'agent-lab', instance: this.instance, version: '1.0.0', identity };
    const answer = ok(await this.api.post(`/v1/targets/${this.target}/registrations`, body));
    this.epoch = answer.epoch;
    return answer;
  }

  async take(waitMs = 5_000) {
    const body = {
      kinds: ['apply', 'remove'],
      target: this.target,
      worker: 'agent-lab',
      instance: this.instance,
      waitMs,
    };
    return ok(await this.api.post('/v1/leases', body)).lease;
  }

  async applies(lease: Lease) {
    const { results } = ok(await submit(this.api, lease, 'runtime.applied', {}));
    expect(results[0]).toMatchObject({ verdict: 'admitted' });
  }

  async removes(lease: Lease) {
    const { results } = ok(await submit(this.api, lease, 'runtime.removed', {}));
    expect(results[0]).toMatchObject({ verdict: 'admitted' });
  }

  async sees(instances: readonly object[], services: readonly object[] = []) {
    const seq = String(++this.seq);
    this.base = seq;
    const body = { epoch: this.epoch, seq, complete: true, scope: '*', watchAgeMs: 0, instances, services };
    return ok(await this.api.post(`/v1/targets/${this.target}/reports`, body));
  }

  async heartbeat() {
    const body = { epoch: this.epoch, seq: String(++this.seq), base: this.base, watchAgeMs: 0 };
    return ok(await this.api.post(`/v1/targets/${this.target}/reports`, body));
  }

  /** Reports instances that run and a route that answers. */
  async seesRunning({ service, revision, attempt, fence }: Lease, artifact: string, replicas = 1) {
    const instances = Array.from({ length: replicas }, (_, n) => ({
      uid: `u${revision}-${n}`,
      name: `web-${n}`,
      service,
      revision,
      attempt,
      fence,
      artifact,
      phase: 'running',
      ready: true,
      restarts: 0,
      containers: [],
    }));
    return this.sees(instances, [
      { service, route: { answers: true, revision, attempt }, urls: ['http://web.localhost:7718/'] },
    ]);
  }
}

/** Polls until the claim satisfies `is`; each answer is read anew, so that this is no sleep in disguise. */
export async function claimUntil(
  api: Api,
  service: string,
  is: (claim: Answered['body']) => boolean,
  meanwhile: () => Promise<unknown> = async () => {},
) {
  for (;;) {
    const claim = ok(await api.get(`/v1/services/${service}/status`));
    if (is(claim)) return claim;
    await meanwhile();
  }
}

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

/** A running service, and the agent that observes it. */
export async function running(api: Api, service = 'web@lab', identity?: string) {
  const agent = new Agent(api.as(await api.tokenFor('agent')));
  await agent.register(identity);
  ok(
    await api.post(`/v1/services/${service}/deployments`, {
      image: IMAGE,
      spec: { port: 8080, stabilityMs: 100 },
    }),
    202,
  );
  const apply = await agent.take();
  await agent.applies(apply);
  const shows = () => agent.seesRunning(apply, IMAGE);
  await shows();
  await claimUntil(
    api,
    service,
    (claim) => claim.state === 'running',
    () => agent.heartbeat(),
  );
  return { agent, apply, shows };
}
