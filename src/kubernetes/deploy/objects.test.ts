import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Spec, specSchema } from '../../contract/intent.ts';
import { rolloutOf, stampIn, stampMark } from './marks.ts';
import { type AppliedObject, objectsOf } from './objects.ts';

const stamp = (revision: number, attempt = 1, fence = '1') => ({ revision, attempt, fence });
const order = (spec: Spec = {}, more = {}) => ({
  service: 'web@lab',
  stamp: stamp(2),
  artifact: 'registry.example/web:1',
  spec,
  ...more,
});
const applied = (spec: Spec = {}, rollout = stamp(2)) => objectsOf(order(spec), 'shop', rollout);
const of = (kind: AppliedObject['kind'], objects: readonly AppliedObject[]) =>
  // biome-ignore lint/suspicious/noExplicitAny: objects are compared with what an API server takes
  objects.find((one) => one.kind === kind) as any;
const container = (spec: Spec) => of('Deployment', applied(spec)).spec.template.spec.containers[0];

describe('the objects of an order', () => {
  it('are what a pod needs first, and the Deployment last', () => {
    const objects = applied({ port: 8080, env: { A: 'b', KEY: { secret: 'x' } } });
    expect(objects.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Secret', 'Service', 'Deployment']);
    for (const { kind, metadata } of objects)
      expect(metadata).toMatchObject({
        namespace: 'shop',
        annotations: {
          'evident.dev/service': 'web@lab',
          'evident.dev/stamp': kind === 'Secret' ? '2.1.0' : '2.1.1',
        },
      });
  });

  it('without a port and variables are a Deployment alone, without a probe', () => {
    const [only, ...more] = applied();
    expect(more).toEqual([]);
    expect(only).toMatchObject({ kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: 1 } });
    expect(container({})).not.toHaveProperty('readinessProbe');
  });

  it('pass the level restricted: a number that is not root, no privileges, and a place to write', () => {
    const { spec } = of('Deployment', applied()).spec.template;
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: expect.any(Number),
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(spec.securityContext.runAsUser).toBeGreaterThan(0);
    expect(container({})).toMatchObject({
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
    });
  });

  it('have what the spec says of the cluster: resources, account, secrets to pull with, and root', () => {
    const resources = { requests: { cpu: '250m' }, limits: { memory: '128Mi' } };
    const spec = { kubernetes: { resources, serviceAccount: 'web', pullSecrets: ['hub'], root: true } };
    const template = of('Deployment', applied(spec)).spec.template.spec;
    expect(template).toMatchObject({
      serviceAccountName: 'web',
      automountServiceAccountToken: true,
      imagePullSecrets: [{ name: 'hub' }],
      containers: [{ resources }],
    });
    expect(template.securityContext).toEqual({ seccompProfile: { type: 'RuntimeDefault' } });
    expect(template.containers[0]).not.toHaveProperty('securityContext');
    expect(specSchema.safeParse(spec).success).toBe(true);
    expect(specSchema.safeParse({ kubernetes: { resources: { limits: { cpu: 'much' } } } }).success).toBe(
      false,
    );
  });

  it('probe the health path as often as the spec says, and else whether the port takes connections', () => {
    expect(container({ port: 80, health: { path: '/up', intervalMs: 1_500, timeoutMs: 200 } })).toMatchObject(
      {
        env: [{ name: 'PORT', value: '80' }],
        readinessProbe: { httpGet: { path: '/up' }, periodSeconds: 2, timeoutSeconds: 1 },
      },
    );
    expect(container({ port: 80 }).readinessProbe).toMatchObject({ tcpSocket: { port: 'http' } });
    expect(container({ port: 80, env: { PORT: '81' } })).not.toHaveProperty('env');
  });

  it('give the command its words; variables by the kubelet, and nothing that only looks like one', () => {
    expect(container({ command: 'serve --at "$HOST:80" \'$(date)\'' }).command).toEqual([
      'serve',
      '--at',
      '$(HOST):80',
      '$$(date)',
    ]);
    expect(container({ command: ['sh', '-c', 'echo $(date) $HOME'] }).command).toEqual([
      'sh',
      '-c',
      'echo $$(date) $HOME',
    ]);
  });

  it('never hold a secret outside of the Secret, nor anything of it in a name', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6 }), fc.string({ minLength: 6 }), (one, other) => {
        const objects = applied({ env: { KEY: { secret: one } } });
        const changed = applied({ env: { KEY: { secret: other } } });
        const names = (all: readonly AppliedObject[]) => all.map(({ metadata }) => metadata.name);
        expect(names(objects)).toEqual(names(changed));
        expect(of('Deployment', objects)).toEqual(of('Deployment', changed));
        expect(Buffer.from(of('Secret', objects).data.KEY, 'base64').toString()).toBe(
          Buffer.from(one).toString(),
        );
      }),
    );
  });

  it('have the same template for the same rollout, whatever stamp, fence and number of copies', () => {
    fc.assert(
      fc.property(fc.nat(99), fc.nat(99), fc.nat(9), fc.nat(9), (fence, revision, one, other) => {
        const template = (replicas: number, at: ReturnType<typeof stamp>) =>
          of('Deployment', objectsOf(order({ replicas }, { stamp: at }), 'shop', stamp(1))).spec.template;
        expect(template(one, stamp(revision, 1, String(fence)))).toEqual(template(other, stamp(2)));
      }),
    );
    const [template, other] = [stamp(1), stamp(2)].map(
      (at) => of('Deployment', applied({}, at)).spec.template,
    );
    expect(template).not.toEqual(other);
  });
});

describe('the rollout of an order', () => {
  it('stays under a newer fence and through a scale, and is another for every other attempt', () => {
    const at = stamp(3, 2, '5');
    expect(rolloutOf(null, { stamp: at, accepts: [] })).toEqual(at);
    expect(rolloutOf(stamp(3, 2, '4'), { stamp: at, accepts: [] })).toEqual(stamp(3, 2, '4'));
    expect(rolloutOf(stamp(1), { stamp: at, accepts: [stamp(1), stamp(2)] })).toEqual(stamp(1));
    expect(rolloutOf(stamp(3, 1), { stamp: at, accepts: [] })).toEqual(at);
    expect(rolloutOf(stamp(1), { stamp: at, accepts: [stamp(2)] })).toEqual(at);
  });

  it('is read back as it was written, and from nothing else', () => {
    expect(stampIn(stampMark(stamp(12, 3, '450')))).toEqual(stamp(12, 3, '450'));
    for (const text of [undefined, '', '1.2', '1.2.3.4', 'a.b.c', '1.2.-3', ' 1.2.3'])
      expect(stampIn(text)).toBeNull();
  });
});
