import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stringify } from 'yaml';
import manifest from '../package.json' with { type: 'json' };
import { type InstallOptions, installManifests } from '../src/kubernetes/agent/install-manifests.ts';
import { ROOT } from './root.mjs';

/**
 * The Helm chart of the agent, made of what `evident agent install` prints, so that the two cannot differ.
 * `node --import tsx/esm scripts/helm-chart.ts --write` writes it; a test fails while the files are not current.
 */
export const CHART = join(ROOT, 'deploy', 'helm', 'evident-agent');

/** Values of the chart in the places of the options. A namespace is that of the range over them. */
const EACH = '{{ . }}';
const OPTIONS: Omit<InstallOptions, 'namespaces'> = {
  target: '{{ .Values.target }}',
  server: '{{ .Values.server }}',
  image: '{{ .Values.image }}',
  home: '{{ $.Release.Namespace }}',
  defaultNamespace: '{{ .Values.defaultNamespace }}',
};

interface ChartManifest {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string };
}

/** Every file of the chart by its path in it. */
export function chartFiles(): ReadonlyMap<string, string> {
  // Helm makes the namespace of a release itself, with --create-namespace.
  const made = (namespaces: readonly string[]) =>
    (installManifests({ ...OPTIONS, namespaces }) as readonly ChartManifest[]).filter(
      ({ kind }) => kind !== 'Namespace',
    );
  const [whole, named] = [made([]), made([EACH])];
  const isIn = (list: readonly ChartManifest[], one: ChartManifest) =>
    list.some((other) => stringify(other) === stringify(one));
  const deployment = named.filter(({ kind }) => kind === 'Deployment');
  const rest = (list: readonly ChartManifest[]) => list.filter(({ kind }) => kind !== 'Deployment');
  const inEach = named.filter(({ metadata }) => metadata.namespace === EACH);
  return new Map([
    ['Chart.yaml', stringify(ABOUT)],
    ['values.yaml', VALUES],
    ['values.schema.json', schemaText()],
    ['templates/NOTES.txt', NOTES],
    ['templates/agent.yaml', template([...rest(whole).filter((one) => isIn(named, one)), ...deployment])],
    [
      'templates/whole-cluster.yaml',
      within(
        'if not .Values.namespaces',
        rest(whole).filter((one) => !isIn(named, one)),
      ),
    ],
    [
      'templates/named-namespaces.yaml',
      within(
        'if .Values.namespaces',
        rest(named).filter((one) => !isIn(whole, one) && !inEach.includes(one)),
      ) + within('range .Values.namespaces', inEach),
    ],
  ]);
}

/** Short lists on one line, as the formatter has them. */
const schemaText = () =>
  `${JSON.stringify(SCHEMA, null, 2).replace(/\[\n\s+([^[\]{}]*?)\n\s+\]/g, (_, items: string) => `[${items.replace(/\n\s+/g, ' ')}]`)}\n`;

const within = (condition: string, manifests: readonly ChartManifest[]) =>
  `{{- ${condition} }}\n${template(manifests)}{{- end }}\n`;

/** Lists that depend on a value are written as one example, which stands here for the loop. */
function template(manifests: readonly ChartManifest[]): string {
  const text = manifests
    .map((one) => `---\n${stringify(one, { lineWidth: 0, aliasDuplicateObjects: false })}`)
    .join('');
  return text
    .replace(
      /^( *)- "?--namespace=\{\{ \. \}\}"?\n/m,
      loop('range .Values.namespaces', '--namespace={{ . }}'),
    )
    .replace(
      /^( *)- "?--default-namespace=.*\n/m,
      loop('if .Values.defaultNamespace', `--default-namespace=${OPTIONS.defaultNamespace}`),
    );
}

const loop = (condition: string, item: string) => `$1{{- ${condition} }}\n$1- "${item}"\n$1{{- end }}\n`;

const ABOUT = {
  apiVersion: 'v2',
  name: 'evident-agent',
  description: 'Observes a cluster for Evident: it reads, and writes nothing',
  type: 'application',
  version: manifest.version,
  appVersion: manifest.version,
  kubeVersion: '>=1.28.0-0',
};

const VALUES = `# The target that this cluster is, as in evident observe TARGET.
target: ""
# The server of Evident, at an address that pods reach.
server: ""
# The image that the Dockerfile builds.
image: "evident:${manifest.version}"
# Namespaces that the agent may read, with a Role in each. None: the whole cluster.
namespaces: []
# Workloads of this namespace are services without it in their name. None: that of the release.
defaultNamespace: ""
`;

const LABEL = '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$';
const SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  required: ['target', 'server', 'image'],
  additionalProperties: false,
  properties: {
    target: { type: 'string', pattern: '^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$' },
    server: { type: 'string', pattern: '^https?://[^\\s"{}]+$' },
    image: { type: 'string', pattern: '^[^\\s"{}]+$' },
    namespaces: { type: 'array', uniqueItems: true, items: { type: 'string', pattern: LABEL } },
    defaultNamespace: { type: 'string', pattern: `^$|${LABEL}` },
    global: { type: 'object' },
  },
};

const NOTES = `The agent needs a token, which is no value of the chart. Make it once and keep it in the cluster:

  evident tokens create --role agent --name {{ .Values.target }} --target {{ .Values.target }} --quiet | kubectl -n {{ .Release.Namespace }} create secret generic evident-agent-token --from-file=token=/dev/stdin

Then say what is observed: evident observe {{ .Values.target }}
`;

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href && process.argv.includes('--write'))
  for (const [path, text] of chartFiles()) {
    mkdirSync(dirname(join(CHART, path)), { recursive: true });
    writeFileSync(join(CHART, path), text);
  }
