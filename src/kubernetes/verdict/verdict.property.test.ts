import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFECT, judgeObject } from './judge-object.ts';
import { indexObjects, NO_OBJECTS } from './objects.ts';
import { READY_OBJECTS } from './ready-objects.ts';
import { VERDICTS } from './verdict.ts';

const NOW = Date.parse('2026-11-17T12:00:00Z');
const KINDS = Object.entries(READY_OBJECTS);
type Path = readonly (string | number)[];

/** Every place in an object, the outer ones first. */
function* placesIn(value: unknown, at: Path = []): Generator<Path> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const place = [...at, Array.isArray(value) ? Number(key) : key];
    yield place;
    yield* placesIn(inner, place);
  }
}

const ABSENT = Symbol('absent');
const GOOD: ReadonlySet<string> = new Set(['ready', 'suspended', 'stopped']);

/** A copy of the object with another value at one place, or with nothing there. */
function withValue(object: unknown, place: Path, value: unknown): unknown {
  const copy = structuredClone(object);
  const key = place.at(-1) ?? '';
  const parent = place.slice(0, -1).reduce((at, step) => at[step] as Holder, copy as Holder);
  if (value !== ABSENT) parent[key] = value;
  else if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
  return copy;
}
type Holder = Record<string | number, unknown>;

function valueAt(object: unknown, place: Path): unknown {
  return place.reduce((at, step) => (at as Holder)[step], object);
}

const verdictOn = (object: unknown) => {
  const { verdict, operator } = judgeObject(object, NO_OBJECTS, NOW);
  expect(operator).not.toContain(DEFECT);
  return verdict;
};

/** Values of every type but the one that is there. */
const wrongFor = (value: unknown) =>
  [7, -1, 'seven', true, [7], { seven: 7 }].filter(
    (other) => typeof other !== typeof value || Array.isArray(other) !== Array.isArray(value),
  );

/**
 * Fields whose absence leaves a ready object ready: they say more, or have a default. Everything else in `spec` and
 * `status` is needed, and without it nothing is ready.
 */
const NOT_NEEDED: Readonly<Record<string, RegExp>> = {
  Deployment: /^spec\.progressDeadlineSeconds$/,
  StatefulSet: /^spec\.updateStrategy|^status\.(?:available|current|updated)Replicas$/,
  DaemonSet: /^spec|^status\.numberMisscheduled$/,
  ReplicaSet: /^status\.fullyLabeledReplicas$/,
  Pod: /^spec|^status\.hostIP$|^status\.conditions\.[012]|^status\.containerStatuses$|\.(?:started|restartCount|startedAt|state)$/,
  Job: /^spec|^status\.(?:startTime|completionTime|succeeded)$/,
  CronJob: /^spec\.suspend$|^status\.lastScheduleTime$/,
  PersistentVolumeClaim: /^spec|^status\.capacity/,
  Service: /^spec\.(?:type|selector)/,
  Ingress: /^spec/,
  HTTPRoute: /^spec|observedGeneration$/,
  Gateway:
    /^spec|observedGeneration$|^status\.listeners$|^status\.listeners\.0$|^status\.listeners\.0\.conditions\.[012]/,
  HorizontalPodAutoscaler: /^spec|^status\.(?:current|desired)Replicas$|^status\.conditions\.2/,
  PodDisruptionBudget: /^spec|^status\.(?:expectedPods|disruptionsAllowed|conditions)/,
  CustomResourceDefinition: /^spec|^status\.conditions\.0/,
  APIService: /^spec/,
  Namespace: /^spec/,
  Node: /^spec|^status\.addresses|^status\.conditions\.[012]/,
  CustomResource: /^spec|^status\.observedGeneration$|^status\.conditions\.[12]/,
};

describe.each(KINDS)('a ready %s', (kind, object) => {
  const places = [...placesIn(object)].filter(([root]) => root === 'spec' || root === 'status');

  it('is ready without a field only if the field is not needed', () => {
    const needless = places
      .filter((place) => verdictOn(withValue(object, place, ABSENT)) === 'ready')
      .map((place) => place.join('.'))
      .filter((place) => !/\.(?:lastTransitionTime|reason)$/.test(place));
    expect(needless.filter((place) => !NOT_NEEDED[kind]?.test(place))).toEqual([]);
  });

  it('is not ready with null for its status, its conditions or a count', () => {
    const needed = places.filter((place) => !NOT_NEEDED[kind]?.test(place.join('.')));
    const stillReady = needed
      .filter((place) => !/lastTransitionTime|reason/.test(place.join('.')))
      .filter((place) => verdictOn(withValue(object, place, null)) === 'ready');
    expect(stillReady.map((place) => place.join('.'))).toEqual([]);
  });

  it('is not ready, suspended or stopped with a wrong type where the verdict looks', () => {
    const good = places
      .filter(
        (place) => !NOT_NEEDED[kind]?.test(place.join('.')) && !/lastTransitionTime/.test(place.join('.')),
      )
      .flatMap((place) =>
        wrongFor(valueAt(object, place)).map((wrong) => ({
          place,
          verdict: verdictOn(withValue(object, place, wrong)),
        })),
      )
      .filter(({ verdict }) => GOOD.has(verdict));
    expect(good.map(({ place, verdict }) => `${place.join('.')} ${verdict}`)).toEqual([]);
  });

  it('stays not ready when a second field is broken', () => {
    const broken = places
      .map((place) => withValue(object, place, ABSENT))
      .filter((damaged) => !GOOD.has(verdictOn(damaged)));
    for (const damaged of broken)
      for (const place of placesIn(damaged))
        for (const wrong of wrongFor(valueAt(damaged, place)))
          expect([place, verdictOn(withValue(damaged, place, wrong))]).not.toEqual([place, 'ready']);
  });
});

describe('whatever it is shown', () => {
  const hostile = fc.object({
    key: fc.constantFrom(
      'kind',
      'apiVersion',
      'metadata',
      'spec',
      'status',
      'conditions',
      '__proto__',
      'constructor',
      'replicas',
    ),
    maxDepth: 4,
  });

  it('gives one of its verdicts, and never throws', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...KINDS),
        fc.anything(),
        fc.array(fc.nat(200), { maxLength: 4 }),
        ([, object], junk, picks) => {
          const places = [...placesIn(object)];
          let broken: unknown = object;
          for (const pick of picks) {
            const place = places[pick % places.length] ?? ['status'];
            try {
              broken = withValue(broken, place, junk);
            } catch {
              // The place went away with an earlier change.
            }
          }
          const { verdict, operator } = judgeObject(broken, indexObjects([broken, object]), NOW);
          expect(VERDICTS).toContain(verdict);
          expect(operator).not.toContain(DEFECT);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('holds what is no object of Kubernetes for unknown', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), hostile), (value) => {
        const { verdict } = judgeObject(value, indexObjects([value]), NOW);
        expect(verdict).toBe('unknown');
      }),
      { numRuns: 2000 },
    );
  });

  it('calls nothing that a document brings along', () => {
    const trap = { toString: 1, valueOf: 1, toJSON: 1, length: -1 };
    for (const [, object] of KINDS)
      for (const place of [
        ...placesIn(object),
        ['metadata', 'deletionTimestamp'],
        ['metadata', 'finalizers'],
      ])
        expect(VERDICTS).toContain(verdictOn(withValue(object, place, trap)));
  });

  it('keeps the text of the cluster on one line and out of the sentence for users', () => {
    const message = 'no\n\u001b[31mroom\u0007 for ';
    const pod = withValue(
      READY_OBJECTS.Pod,
      ['status', 'conditions'],
      [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: message + 'x'.repeat(5000),
        },
      ],
    );
    const { user, operator } = judgeObject(pod, NO_OBJECTS, NOW);
    expect(operator).toContain('no [31mroom for');
    expect(operator.length).toBeLessThan(1100);
    expect(user).toBe('No machine there fits what it asks for.');
  });
});
