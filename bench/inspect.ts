import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { Program } from '../lab/program.ts';
import { READY_OBJECTS } from '../src/kubernetes/verdict/ready-objects.ts';
import type { Context } from './context.ts';
import { atMost, type Figure } from './figures.ts';
import { quantile } from './rounds.ts';

const OBJECTS = 10_000;
/** The promised time for them, from the start of the process to its end. */
const PROMISED_MS = 2_000;

/** `evident inspect` over 10,000 pods of the size that a cluster writes, in a process of its own, from start to end. */
export async function measureInspect({ effort, say }: Context): Promise<Figure[]> {
  const dir = mkdtempSync(join(tmpdir(), 'evident-inspect-'));
  const list = { apiVersion: 'v1', kind: 'List', items: Array.from({ length: OBJECTS }, (_, i) => podOf(i)) };
  const files = {
    'JSON of kubectl': JSON.stringify(list, null, 4),
    'YAML of kubectl': dump(list, { noRefs: true }),
  };
  const figures: Figure[] = [];
  try {
    for (const [form, text] of Object.entries(files)) {
      const file = join(dir, 'objects');
      writeFileSync(file, text);
      say(`inspect: ${OBJECTS} pods, ${form}, ${(text.length / 1e6).toFixed(0)} MB`);
      const took: number[] = [];
      for (let round = 0; round < effort.rounds; round++) took.push(await run(file));
      const value = quantile(took, 0.5);
      figures.push({
        ...{ bench: 'inspect', what: `10,000 pods, ${form}, whole process`, store: '', value, unit: 'ms' },
        ...{ beside: { name: 'promised', value: PROMISED_MS }, ratio: value / PROMISED_MS, goal: atMost(1) },
      });
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  return figures;
}

async function run(file: string): Promise<number> {
  const began = performance.now();
  const program = Program.start(['inspect', '-f', file, '-o', 'json']);
  const [entries] = await Promise.all([program.line(/^\[/), program.ended]);
  const took = performance.now() - began;
  if (JSON.parse(entries).length !== OBJECTS) throw new Error('not every object was judged');
  return took;
}

/** A ready pod with the parts of its spec that make it large. */
function podOf(i: number): object {
  const { metadata, spec, status, ...rest } = READY_OBJECTS.Pod;
  return {
    ...rest,
    metadata: {
      ...metadata,
      name: `web-5d8f7c9b6d-${i}`,
      uid: `0e6d855e-83ed-4ed5-b80a-${String(i).padStart(12, '0')}`,
      labels: { app: 'web', 'pod-template-hash': '5d8f7c9b6d', 'app.kubernetes.io/managed-by': 'Helm' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d8f7c9b6d', uid: 'rs', controller: true },
      ],
    },
    spec: {
      ...spec,
      containers: [
        {
          ...{ name: 'web', image: 'web:1' },
          env: ['LOG', 'PORT', 'MODE'].map((name) => ({ name, value: 'some value: with a colon' })),
          resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
          volumeMounts: [
            { name: 'kube-api-access', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
          ],
        },
      ],
      tolerations: ['not-ready', 'unreachable'].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        ...{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      })),
    },
    status,
  };
}
