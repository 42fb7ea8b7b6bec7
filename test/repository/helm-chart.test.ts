import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { CHART, chartFiles } from '../../scripts/helm-chart.ts';
import { installManifests } from '../../src/kubernetes/agent/install-manifests.ts';

const values = { target: 'prod', server: 'https://evident.example', image: 'evident:1' };
const helm = process.env.HELM ?? 'helm';
const isHere = spawnSync(helm, ['version']).status === 0;
const why = 'helm is not in the PATH, and HELM does not name it';

describe('the Helm chart of the agent', () => {
  it('is what the manifests of the agent make of it: run npm run docs', () => {
    const files = chartFiles();
    for (const [path, text] of files) expect(readFileSync(join(CHART, path), 'utf8'), path).toBe(text);
    const present = readdirSync(CHART, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    expect(present.map(({ parentPath, name }) => join(parentPath, name)).toSorted()).toEqual(
      [...files.keys()].map((path) => join(CHART, path)).toSorted(),
    );
  });

  const isValid = new Ajv().compile(JSON.parse(chartFiles().get('values.schema.json') ?? ''));
  it('takes values that can work, and refuses the others', () => {
    const defaults = parse(chartFiles().get('values.yaml') ?? '') as object;
    expect(isValid(defaults), 'a target and a server must be named').toBe(false);
    expect(isValid({ ...defaults, ...values }), JSON.stringify(isValid.errors)).toBe(true);
    expect(isValid({ ...values, namespaces: ['shop', 'bank-2'], defaultNamespace: 'shop' })).toBe(true);
    const wrong = [
      { target: 'Prod' },
      { server: 'evident.example' },
      { server: 'https://evident.example"\n' },
      { namespaces: ['shop', 'shop'] },
      { namespaces: ['*'] },
      { namespaces: 'shop' },
      { image: '' },
      { replicas: 2 },
    ];
    for (const one of wrong) expect(isValid({ ...values, ...one }), JSON.stringify(one)).toBe(false);
  });

  if (!isHere) console.warn(`SKIPPED: the Helm chart, rendered. ${why}`);
  describe.skipIf(!isHere)(`rendered${isHere ? '' : ` (skipped: ${why})`}`, () => {
    it.each([
      [[], null],
      [['shop'], null],
      [['shop', 'bank', 'kube-system'], 'shop'],
    ] as const)(
      'is equal to evident agent install, for namespaces %j, default %j',
      (namespaces, defaultNamespace) => {
        const given = { ...values, namespaces, ...(defaultNamespace === null ? {} : { defaultNamespace }) };
        const args = ['template', 'agent', CHART, '-n', 'evident', '--kube-version', 'v1.28.0', '-f', '-'];
        const { stdout, stderr, status } = spawnSync(helm, args, {
          input: JSON.stringify(given),
          encoding: 'utf8',
        });
        expect(status, stderr).toBe(0);
        const rendered = parseAllDocuments(stdout).map((one) => one.toJS());
        const wanted = installManifests({ ...values, home: 'evident', namespaces, defaultNamespace });
        const ordered = (list: readonly unknown[]) =>
          list.map((one) => JSON.stringify(sorted(one))).toSorted();
        expect(ordered(rendered)).toEqual(
          ordered(wanted.filter((one) => (one as { kind: string }).kind !== 'Namespace')),
        );
      },
    );
  });
});

/** The same with its keys in order, so that texts can be compared. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([key, one]) => [key, sorted(one)]),
  );
}
