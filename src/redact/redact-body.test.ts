import { describe, expect, it } from 'vitest';
import { redactItem, redactReport } from './redact-body.ts';
import { NO_VALUES, SecretValues } from './secret-values.ts';

const redacted = (item: unknown) => redactItem(item, async () => NO_VALUES);
const SECRET = 'hunter2hunter2';
const KEY = 'AKIAIOSFODNN7SPLITED';

describe('evidence before it is recorded, whatever its verdict', () => {
  it.each([
    ['what its name says is secret', { kind: 'build.progress', body: { password: SECRET } }],
    ['the same, deeper', { body: { step: 1, env: { DB_PASSWORD: SECRET, api_key: 12345678901234 } } }],
    ['whatever is in it', { body: { credentials: { user: 'ana', word: SECRET } } }],
    ['a list of them', { body: { tokens: [SECRET] } }],
    ['what is no item of ours', { secret: SECRET }],
    ['what is no item at all', `password=${SECRET}`],
    ['a list instead of an item', [{ password: SECRET }]],
    ['text under a name that we do not know', { body: { note: `the password: ${SECRET}` } }],
    ['text that is split by colours', { body: { message: `AKIA\u001b[0mIOSFODNN7SPLITED` } }],
    ['text that is split by what nobody sees', { body: { message: `AKIA\u0000IOSFODNN7SPLITED` } }],
  ])('%s', async (_what, item) => {
    const text = JSON.stringify(await redacted(item));
    expect(text).toContain('[redacted ');
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('12345678901234');
    expect(text.replaceAll(/\\u[0-9a-f]{4}(?:\[0m)?/g, '')).not.toContain(KEY);
  });

  it.each([
    ['an unknown kind', { kind: `password=${SECRET}`, body: {} }],
    ['a code', { kind: 'build.failed', body: { code: `token=${SECRET}` } }],
    ['the name of an object', { body: { objects: [{ kind: 'Secret', name: `password=${SECRET}` }] } }],
    ['what should be a digest', { kind: 'artifact.stored', body: { digest: `password=${SECRET}` } }],
  ])('a name that contains one: %s', async (_what, item) => {
    const text = JSON.stringify(await redacted(item));
    expect(text).toContain('[redacted ');
    expect(text).not.toContain(SECRET);
  });

  it('a secret that equals a word of the protocol redacts no word of the protocol', async () => {
    const digest = `sha256:${'9b1f'.repeat(16)}`;
    const secrets = new SecretValues([
      'runtime',
      'release',
      'image_not_found',
      digest.slice(10, 30),
      '2026-11',
    ]);
    const body = { code: 'image_not_found', message: 'the runtime has no such release', retrySafe: true };
    const item = { kind: 'runtime.apply_failed', observedAt: '2026-11-14T14:02:00.000Z', body };
    const mark = '[redacted value]';
    expect(await redactItem(item, async () => secrets)).toEqual(item);
    expect(await redactItem({ ...item, service: 'web@lab' }, async () => secrets)).toEqual({
      ...item,
      service: 'web@lab',
      body: { ...body, message: `the ${mark} has no such ${mark}` },
    });
    const stored = { kind: 'artifact.stored', service: 'web@lab', body: { digest, size: 1 }, note: 'a' };
    expect(await redactItem(stored, async () => secrets)).toEqual(stored);
  });

  it('fields of the protocol stay as they were sent', async () => {
    const item = {
      id: 'ev-1',
      kind: 'artifact.stored',
      service: 'token@lab',
      command: 'token@lab.r1.a1.build.1',
      fence: '1',
      body: {
        digest: `sha256:${'9b1f'.repeat(16)}`,
        size: 7,
        plan: { command: ['node', 'server.js', `--password=${SECRET}`], port: 8080 },
        objects: [{ kind: 'Secret', name: 'password' }],
      },
    };
    expect(await redacted(item)).toEqual(item);
  });
});

describe('a report before it is judged', () => {
  const servicesRead: string[] = [];
  const reported = (report: unknown) =>
    redactReport(report, async (service) => {
      servicesRead.push(service);
      return NO_VALUES;
    });
  const uid = `ghp_${'a1B2'.repeat(9)}`;
  const instances = [
    { uid, service: 'web@lab', name: `web.${KEY}`, node: `password=${SECRET}`, containers: [{ name: KEY }] },
  ];
  const services = [{ service: 'web@lab', urls: ['http://a.internal/', `https://app:${SECRET}@a.example/`] }];

  it('names and addresses are redacted, compared fields stay', async () => {
    const items = { instances, services };
    const full = (await reported({ complete: true, ...items })) as typeof items;
    const { changed } = (await reported({ changed: items })) as { changed: typeof items };
    for (const redactedReport of [full, changed]) {
      expect(JSON.stringify(redactedReport)).not.toContain(SECRET);
      expect(JSON.stringify(redactedReport)).not.toContain(KEY);
      expect(redactedReport.services[0]?.urls).toEqual([
        'http://a.internal/',
        'https://app:[redacted password]@a.example/',
      ]);
      expect(redactedReport.instances[0]?.uid).toBe(uid);
    }
  });

  it('a report without secrets is not copied, and the store is not read for it', async () => {
    servicesRead.length = 0;
    const calm = { uid: 'u1', service: 'web@lab', name: 'web-1', node: 'n1.internal', containers: [] };
    const redactedReport = (await reported({ complete: true, instances: [calm] })) as {
      instances: unknown[];
    };
    expect(redactedReport.instances[0]).toBe(calm);
    await reported({ services: [{ service: 'web@lab', urls: ['https://a.example/x'] }] });
    expect(servicesRead).toEqual([]);
    for (const url of ['https://a.example/?k=x', 'https://a.example/in/hunter2'])
      await reported({ services: [{ service: 'web@lab', urls: [url] }] });
    expect(servicesRead).toEqual(['web@lab', 'web@lab']);
  });
});

describe('warnings of a cluster, and marks of other tools', () => {
  it('lose secrets like any other text (S15)', async () => {
    const services = [
      {
        service: 'web.shop@lab',
        warnings: [{ about: 'Pod/web', reason: 'Failed', message: `Error: password=${SECRET}`, at: null }],
        workload: {
          managedBy: `https://ana:${SECRET}@argo.example/`,
          images: [{ container: 'app', image: `ana:${SECRET}@registry.example/web:1` }],
        },
      },
    ];
    const text = JSON.stringify(await redactReport({ complete: true, services }, async () => NO_VALUES));
    expect(text).not.toContain(SECRET);
    expect(text).toContain('registry.example/web:1');
  });
});
