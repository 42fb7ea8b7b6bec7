import { describe, expect, it } from 'vitest';
import { Agent, ok, submit } from './parties.ts';
import { useServers } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;
const SECRET = 'PLANTED-9f8e7d6c5b';
const WORD = 'hunter2hunter2';
const LOOKS = 'AKIAIOSFODNN7EXAMPLE';

describe('a secret', () => {
  const servers = useServers();

  it('appears in no public byte, whichever way it came in (S15)', { timeout: 60_000 }, async () => {
    const { api } = await servers.start();
    const agent = new Agent(api.as(await api.tokenFor('agent')));
    const named = {
      instance: 'agent-0',
      agent: `agent ${LOOKS}`,
      version: `1.0 token=${WORD}`,
      identity: 'uid-1',
    };
    ok(await agent.api.post('/v1/targets/lab/registrations', named));
    for (const name of ['instance', 'identity'] as const)
      expect(
        (
          await agent.api.post('/v1/targets/lab/registrations', {
            ...named,
            [name]: `https://x:${WORD}@a.example`,
          })
        ).body,
        'what is compared is refused, never replaced',
      ).toMatchObject({ code: 'invalid_request', errors: [`${name}: holds a secret`] });
    await agent.register();
    const env = { PASSWORD: { secret: SECRET }, MODE: 'plain' };
    const git = {
      sha: '3f2a9c1',
      branch: `fix/${LOOKS}`,
      message: `Use ${SECRET} for now\n\npassword=${WORD}`,
    };
    ok(
      await api.post('/v1/services/web@lab/deployments', { image: IMAGE, git, spec: { port: 8080, env } }),
      202,
    );
    const lease = await agent.take();
    // The agent that starts the app receives the secret.
    expect(lease.input.spec.env).toEqual({ PASSWORD: { secret: SECRET }, MODE: 'plain' });
    const output = `cannot log in with ${SECRET} or ${LOOKS}`;
    const entry = {
      service: 'web@lab',
      urls: [
        `https://app:${WORD}@web.example/`,
        `https://web.example/?access_token=${WORD}`,
        `https://web.example/?k=${SECRET}`,
        `https://web.example/in/${SECRET}`,
        'javascript:alert(1)',
        'data:text/html,x',
      ],
    };
    await agent.sees(
      [
        {
          uid: 'u1',
          name: `web.${LOOKS}`,
          node: `password=${WORD}`,
          service: 'web@lab',
          revision: 1,
          attempt: 1,
          fence: '1',
          phase: 'failed',
          ready: false,
          reason: 'exited',
          artifact: `https://u:${WORD}@registry.example/web:1`,
          message: output,
        },
        {
          ...{ service: 'web@lab', revision: 1, attempt: 1, fence: '1', phase: 'running', ready: true },
          uid: `u2-${LOOKS}`,
          name: `web-${SECRET}`,
          template: `of ${SECRET}`,
          artifact: LOOKS,
          startedAt: SECRET,
          containers: [{ name: `side-${SECRET}`, ready: true }],
        },
      ],
      [entry],
    );
    const line = {
      service: 'web@lab',
      revision: 1,
      attempt: 1,
      stream: 'run',
      instance: `u1 ${SECRET} ${LOOKS}`,
      seq: '1',
      at: '2026-11-15T00:00:00Z',
      line: output,
    };
    expect(ok(await agent.api.post('/v1/logs', { items: [line] }))).toEqual({ accepted: 1 });
    const applied = { objects: [{ kind: 'Secret', name: `password=${WORD}` }] };
    ok(await submit(agent.api, lease, 'runtime.applied', { ...applied, digest: 7 }, { seq: 'x' }));
    ok(await submit(agent.api, lease, `password=${WORD}`, {}));
    const code = `password=${WORD}`;
    ok(await submit(agent.api, lease, 'runtime.apply_failed', { code, message: output, retrySafe: true }));
    ok(
      await api.call(
        'DELETE',
        `/v1/services/web@lab?force=true&reason=${encodeURIComponent(`password=${LOOKS}`)}`,
      ),
      202,
    );

    const paths = [
      '/v1/services',
      '/v1/services/web@lab',
      '/v1/services/web@lab/status',
      '/v1/services/web@lab/revisions',
      '/v1/services/web@lab/transitions',
      '/v1/services/web@lab/evidence',
      '/v1/services/web@lab/instances',
      '/v1/services/web@lab/leases',
      '/v1/services/web@lab/logs?stream=run',
      '/v1/commands',
      '/v1/evidence',
      '/v1/agents',
      '/v1/targets',
      '/v1/workers',
      '/metrics',
    ];
    for (const path of paths) {
      const text = JSON.stringify((await api.get(path)).body);
      expect(text.length, path).toBeGreaterThan(10);
      expect(text, path).not.toContain(SECRET);
      expect(text, path).not.toContain(LOOKS);
      expect(text, path).not.toContain(WORD);
    }
    expect(JSON.stringify((await api.get('/v1/evidence')).body)).toContain('"password=[redacted');
    const { urls } = ok(await api.get('/v1/services/web@lab'));
    expect(urls).toContain('https://app:[redacted password]@web.example/');
    expect(urls, 'nothing but addresses of the web is a link (F108)').toHaveLength(4);
    expect(JSON.stringify((await api.get('/v1/services/web@lab/evidence')).body)).toContain(
      'cannot log in with [redacted',
    );
  });
});
