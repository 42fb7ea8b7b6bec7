import { z } from 'zod';
import { ACTIONS } from '../contract/actions.ts';
import { specSchema } from '../contract/intent.ts';
import { duration } from '../contract/presentation/seven-answers.ts';
import { BUILD_CODES } from '../contract/vocabulary.ts';
import { CAUSES } from '../projection/causes.ts';
import { DEADLINES } from '../projection/deadlines.ts';

/**
 * Generates docs/deploying.md: the fields from their schema, the failures from their catalogue. `npm run
 * docs` writes it.
 */
export function deployingPage(): string {
  return [
    '# Deploying',
    '<!-- Generated from the schema in src/contract/intent.ts and the tables in src/projection by `npm run docs`. Do not edit. -->',
    'What is deployed is a folder and a spec. Both may be left as they are: a folder that says what it is needs no spec.',
    '## What a folder is',
    'The builder looks at the top of the folder. It installs and builds for every language that it finds, and takes the first of these that says how to start the app: `command` in the spec; `command` in `evident.yaml`; the `Procfile`; then the languages, in this order.',
    RECOGNISED,
    'What is not recognised fails, and says what was looked for. `examples/` in the source of Evident has one folder of each kind.',
    '### `evident.yaml`',
    'Everything that the spec may say, in the folder itself, and the `name` of the service. What a deploy asks for counts before it.',
    `\`\`\`yaml\n${EXAMPLE}\`\`\``,
    'A file may describe several services. `evident deploy` deploys all of them, each with an outcome of its own, and exits with the code of the worst; `--service NAME` deploys one. `root` is the folder of a service’s app, seen from the deployed folder; `--config FILE` names another file, and the folder’s own then does not count.',
    `\`\`\`yaml\n${SEVERAL}\`\`\``,
    '### `Procfile`',
    'One process type a line, `web: command`. The type `web` is started, or the one that `procfile` names, or the only one there is.',
    '## How it is built',
    BUILT,
    '## How it is started',
    STARTED,
    '## The spec',
    'As JSON in a deploy, as YAML in `evident.yaml`. A field that is not known is refused. The configuration of a service stays: a deploy keeps every field that it does not name, and prints what it changes. `evident env`, `evident secrets` and `evident scale` change it between deploys, `evident diff` shows what changed. A line that is taken out of `evident.yaml` is removed with the next deploy; what was set by hand is not. `concurrency` belongs to the one deploy that names it. A teardown forgets all of it.',
    table(['field', 'is', 'left out', 'means'], fieldsOf(jsonSchema(), '')),
    '### Deadlines',
    'In milliseconds, each under `deadlines`.',
    table(
      ['field', 'left out', 'waits for'],
      Object.entries(DEADLINES).map(([name, row]) => [
        code(name),
        duration(row.defaultMs),
        code(row.expected),
      ]),
    ),
    '## When a build fails',
    'The build’s log has its output: `evident logs SERVICE --stream build`.',
    table(
      ['code', 'what it means', 'whose move'],
      BUILD_CODES.map((name) => [code(name), CAUSES[name].user, whose(CAUSES[name].action)]),
    ),
  ]
    .join('\n\n')
    .concat('\n');
}

const RECOGNISED = table(
  ['found', 'installs', 'builds', 'starts'],
  [
    [
      '`package.json`',
      'by its lock file: `npm ci`, `pnpm install --frozen-lockfile` or `yarn install` (of pnpm and yarn the version in `packageManager` is fetched with npm; packages always go to `node_modules`); without one `npm install`; nothing if it depends on nothing',
      'its `build` script',
      'its `start` script; else `server.js`; else the site that the build left in `dist`, `build`, `out`, `_site` or `public`',
    ],
    [
      '`requirements.txt` or `pyproject.toml`',
      'into a virtual environment that moves with the artifact',
      '',
      '`main.py`, `app.py` or `server.py`',
    ],
    ['`go.mod`', '', '`go build` of the package at the top, else of the one under `cmd`', 'that program'],
    ['`index.html`, also in `public`', '', '', 'a server for its files'],
  ],
);

/** A test parses it, so the schema accepts the example. */
export const EXAMPLE = `name: web
build: npm run build:production
command: node dist/server.js
replicas: 2
env:
  LOG_LEVEL: info
health:
  path: /healthz
deadlines:
  startMs: 60000
`;

/** A test reads it too. */
export const SEVERAL = `target: local
services:
  api:
    root: services/api
    replicas: 2
  worker:
    root: services/api
    procfile: worker
  web:
    root: services/web
`;

const BUILT = [
  '- In a directory of its own that is gone afterwards, with `PATH`, a `HOME` of its own, `LANG`, `CI=1` and the plain values of `env`. Of the builder’s own environment nothing else is there, and secrets never are. An operator lets more through by name: `evident worker --build-env HTTPS_PROXY`.',
  '- A package of a workspace (npm, pnpm, yarn) from the top of the workspace: `evident deploy` in its folder, or with `--root`, sends the whole workspace. It is installed there, the packages that it depends on are built before it, and it is built and started in its own folder.',
  '- Of a site that a build left in a folder only that folder is kept: no sources, no modules.',
  '- Without a shell: a command is words. What scripts of a package run is theirs.',
  '- Dependencies that a lock file names are installed once for each lock file of a service, and taken from there by the builds after it.',
  '- The same source, the same parts of the spec that a build depends on and the same builder: nothing is built, the artifact of the last build is taken, and the log says so.',
  '- The same inputs are packed to the same bytes: entries in one order, one date, no owners.',
  '- Kept from the files of the builder and of other services, where its machine allows that ([SECURITY.md](../SECURITY.md)). What a build starts ends with it. It has the network, and all memory and processors: give teams that do not trust each other workers of their own.',
].join('\n');

const STARTED = [
  '- In the unpacked artifact, with `PORT` in its environment, and told to end by SIGTERM.',
  '- An app that listens on another port than `PORT`, or at an address that nobody connects to, fails within about ten seconds, and the claim names the port; so does one whose health path answers with an error (other than 429 and 503) within about twenty. If it comes right after that, the claim does too.',
  '- Programs and modules that a build installed are on its path, wherever the artifact lies.',
  '- A site is served with its types, an `ETag` for each file, `no-cache` for all but names with a hash in them, which may be kept for ever, `index.html` for folders, and `404.html` for what is not there. Hidden files are not served.',
].join('\n');

interface Field {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Field[];
  readonly items?: Field;
  readonly properties?: Readonly<Record<string, Field>>;
  readonly additionalProperties?: Field | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly default?: unknown;
}

const jsonSchema = () => z.toJSONSchema(specSchema, { io: 'input' }) as Field;

/** Every field, nested ones under their path. Deadlines have a table of their own. */
function fieldsOf({ properties = {} }: Field, under: string): string[][] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const inside = field.properties !== undefined && name !== 'deadlines';
    const fallback =
      field.default === undefined ? '' : code(JSON.stringify(field.default).replaceAll('"', ''));
    const row = [code(under + name), inside ? 'object' : typeOf(field), fallback, field.description ?? ''];
    return [row, ...(inside ? fieldsOf(field, `${under}${name}.`) : [])];
  });
}

function typeOf(field: Field): string {
  if (field.enum !== undefined) return field.enum.map((value) => code(String(value))).join(', ');
  if ('const' in field) return code(String(field.const));
  if (field.anyOf !== undefined) return [...new Set(field.anyOf.map(typeOf))].join(', ');
  if (field.type === 'array') return `list of ${field.items?.type === 'array' ? 'lists of words' : 'words'}`;
  if (field.type === 'null') return '`null`';
  if (field.type === 'integer') return range(field);
  return field.type === 'string' ? 'text' : (field.type ?? 'object');
}

const range = ({ minimum, maximum }: Field) => `number from ${minimum} to ${maximum}`;
const whose = (action: keyof typeof ACTIONS | null) =>
  action === null ? 'nobody' : `the ${ACTIONS[action].owner}’s: ${ACTIONS[action].ask}`;
const code = (text: string) => `\`${text}\``;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
