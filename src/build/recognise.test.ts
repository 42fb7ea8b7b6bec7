import { describe, expect, it, test } from 'vitest';
import type { FolderContents } from './folder-contents.ts';
import { BuildFailure, type Recipe } from './recipe.ts';
import { recognise } from './recognise.ts';
import type { BuildSettings } from './settings.ts';

function folder(files: Readonly<Record<string, string | object>>): FolderContents {
  const text = (path: string) => {
    const found = files[path];
    return found === undefined ? null : typeof found === 'string' ? found : JSON.stringify(found);
  };
  return { files: new Set(Object.keys(files)), text };
}
const read = (files: Readonly<Record<string, string | object>>, spec: BuildSettings = {}): Recipe =>
  recognise(folder(files), spec);
function failure(files: Readonly<Record<string, string | object>>, spec: BuildSettings = {}): BuildFailure {
  try {
    read(files, spec);
  } catch (error) {
    if (error instanceof BuildFailure) return error;
    throw error;
  }
  throw new Error('it was recognised');
}
const installs = (recipe: Recipe) => recipe.installs.flatMap((i) => i.steps.map((s) => s.argv.join(' ')));
const builds = (recipe: Recipe) => recipe.builds.map((step) => step.argv.join(' '));
const command = (recipe: Recipe) => (recipe.start.kind === 'command' ? recipe.start.command : recipe.start);

describe('Node', () => {
  it('without dependencies has nothing to install', () => {
    const recipe = read({ 'package.json': { scripts: { start: 'node server.js' } }, 'server.js': '' });
    expect([installs(recipe), builds(recipe), command(recipe), recipe.port]).toEqual([
      [],
      [],
      ['node', 'server.js'],
      'auto',
    ]);
  });

  test.each([
    [{ 'package-lock.json': '' }, 'npm ci --include=dev --no-audit --no-fund'],
    [{ 'npm-shrinkwrap.json': '' }, 'npm ci --include=dev --no-audit --no-fund'],
    [{ 'pnpm-lock.yaml': '' }, 'pnpm install --frozen-lockfile --prod=false'],
    [{ 'yarn.lock': '# yarn lockfile v1' }, 'yarn install --frozen-lockfile --production=false'],
    [{ 'yarn.lock': '__metadata:\n  version: 8' }, 'yarn install --immutable'],
    [{}, 'npm install --include=dev --no-audit --no-fund'],
  ])('is installed by its lock file %j', (lock, argv) => {
    const manifest = { dependencies: { a: '1' }, scripts: { build: 'x', start: 'y' } };
    const recipe = read({ 'package.json': manifest, ...lock });
    expect(installs(recipe)).toEqual([argv]);
    expect(builds(recipe)).toEqual([`${argv.split(' ')[0]} run build`]);
  });

  test.each([
    [{ 'package-lock.json': '' }, '', undefined, false],
    [{ 'pnpm-lock.yaml': "lockfileVersion: '9.0'" }, '', 'pnpm@10', false],
    [{ 'pnpm-lock.yaml': "lockfileVersion: '6.0'" }, '', 'pnpm@8', false],
    [{ 'pnpm-lock.yaml': '' }, 'pnpm@10.12.1+sha512.ab', 'pnpm@10.12.1', true],
    [{ 'yarn.lock': '# yarn lockfile v1' }, '', 'yarn@1', false],
    [{ 'yarn.lock': '__metadata:\n  version: 8' }, 'yarn@4.9.2', '@yarnpkg/cli-dist@4.9.2', true],
    [{ '.yarnrc.yml': 'nodeLinker: pnp' }, 'yarn@4.9.2', '@yarnpkg/cli-dist@4.9.2', true],
    [{ 'yarn.lock': '__metadata:\n  version: 8' }, '', '@yarnpkg/cli-dist@4', true],
  ])('names the package manager for %j and “%s”', (files, packageManager, name, isPinned) => {
    const manifest = { packageManager, dependencies: { a: '1' }, scripts: { build: 'x', start: 'y' } };
    const recipe = read({ 'package.json': manifest, ...files });
    const tools = [...recipe.installs.flatMap(({ steps }) => steps), ...recipe.builds].map(
      ({ tool }) => tool,
    );
    const tool = name === undefined ? undefined : { package: name, isPinned };
    expect(tools).toEqual([tool, tool]);
  });

  it('keeps installed dependencies only with a lock file, and not when its own scripts take part', () => {
    const cache = (manifest: object, lock = true) =>
      read({ 'package.json': manifest, 'server.js': '', ...(lock ? { 'package-lock.json': '' } : {}) })
        .installs[0]?.cache?.keys;
    expect(cache({ dependencies: { a: '1' } })).toContain('package-lock.json');
    expect(cache({ dependencies: { a: '1' } }, false)).toBeUndefined();
    expect(cache({ dependencies: { a: '1' }, scripts: { postinstall: 'x' } })).toBeUndefined();
    expect(cache({ workspaces: ['packages/*'] })).toBeUndefined();
  });

  test.each([
    ['node --enable-source-maps dist/main.js', ['node', '--enable-source-maps', 'dist/main.js']],
    ['next start', ['npm', 'start']],
    ['node a.js && node b.js', ['npm', 'start']],
    ['node "a b.js"', ['npm', 'start']],
    ['node $FILE', ['npm', 'start']],
  ])('starts %s', (start, argv) => {
    expect(command(read({ 'package.json': { scripts: { start } } }))).toEqual(argv);
    expect(command(read({ 'package.json': { scripts: { start, prestart: 'x' } } }))).toEqual([
      'npm',
      'start',
    ]);
  });

  it('with a build and no start is the site that the build creates', () => {
    const recipe = read({ 'package.json': { scripts: { build: 'vite build' } }, 'index.html': '' });
    expect(recipe.start).toMatchObject({ kind: 'built_site', roots: expect.arrayContaining(['dist']) });
  });

  it('with an unreadable package.json fails with a sentence', () => {
    expect(failure({ 'package.json': '{' })).toMatchObject({ code: 'source_invalid' });
    expect(failure({ 'package.json': '[]' })).toMatchObject({ code: 'source_invalid' });
  });
});

describe('a package of a workspace', () => {
  const files = {
    'package.json': { workspaces: ['packages/*'] },
    'packages/core/package.json': { name: '@x/core', scripts: { build: 'tsc' } },
    'packages/lib/package.json': { name: 'lib', dependencies: { '@x/core': '*' }, scripts: { build: 'tsc' } },
    'packages/other/package.json': { name: 'other', scripts: { build: 'tsc' } },
  };
  const api = {
    name: 'api',
    dependencies: { lib: 'workspace:*', express: '5' },
    devDependencies: { '@x/core': '*' },
    scripts: { build: 'tsc', start: 'node dist/main.js' },
  };
  const within = (lock: Readonly<Record<string, string | object>>) =>
    recognise(folder({ 'package.json': api }), { root: 'packages/api' }, folder({ ...files, ...lock }));

  test.each([
    [{ 'package-lock.json': '' }, 'npm', 'npm ci --include=dev --no-audit --no-fund'],
    [{ 'pnpm-lock.yaml': '' }, 'pnpm', 'pnpm install --frozen-lockfile --prod=false'],
    [{ 'yarn.lock': '# yarn lockfile v1' }, 'yarn', 'yarn install --frozen-lockfile --production=false'],
  ])('is installed at the top by %j, and built after what it needs', (lock, tool, argv) => {
    const recipe = within(lock);
    expect(recipe.installs).toMatchObject([{ atTop: true, cache: null }]);
    expect(installs(recipe)).toEqual([argv]);
    const run = `${tool} run build`;
    expect(recipe.builds.map((step) => [step.argv.join(' '), step.dir])).toEqual([
      [run, 'packages/core'],
      [run, 'packages/lib'],
      [run, undefined],
    ]);
    expect(command(recipe)).toEqual(['node', 'dist/main.js']);
  });

  it('is named where the workspace is deployed and nothing says how to start that', () => {
    const { code, message } = failure({ ...files, 'packages/api/package.json': api });
    expect([code, message]).toEqual([
      'no_start_command',
      expect.stringContaining('A start script is in packages/api: name the folder that you mean'),
    ]);
  });

  it('is one of pnpm without workspaces in its package.json, and none without either', () => {
    const top = (more: Readonly<Record<string, string | object>>) =>
      recognise(folder({ 'package.json': api }), {}, folder(more)).installs[0]?.atTop;
    expect(top({ 'package.json': {}, 'pnpm-workspace.yaml': '', 'pnpm-lock.yaml': '' })).toBe(true);
    expect(top({ 'package.json': {} })).toBeUndefined();
    expect(top({ 'README.md': '' })).toBeUndefined();
  });
});

describe('Python', () => {
  it('has a virtual environment when it has dependencies', () => {
    const files = { 'requirements.txt': 'flask==3.0.0\n# a comment\ngunicorn==22.0\n', 'main.py': '' };
    const recipe = read(files);
    expect(installs(recipe)).toEqual([
      'python3 -m venv --clear .venv',
      '.venv/bin/python -m pip install --no-input --no-compile -r requirements.txt',
    ]);
    expect(recipe.installs[0]?.cache).toEqual({ folder: '.venv', keys: ['requirements.txt'] });
    expect([command(recipe), recipe.port]).toEqual([['python3', 'main.py'], 'auto']);
    expect(installs(read({ ...files, 'requirements.txt': '# nothing\n' }))).toEqual([]);
  });

  it('is installed again where versions are left open', () => {
    expect(read({ 'requirements.txt': 'flask>=3\n', 'app.py': '' }).installs[0]?.cache).toBeNull();
  });

  it('with pyproject.toml is installed itself, if it is a project', () => {
    const of = (project: string) => installs(read({ 'pyproject.toml': project, 'app.py': '' }));
    expect(of('[project]\nname = "x"\n')).toContain(
      '.venv/bin/python -m pip install --no-input --no-compile .',
    );
    expect(of('[tool.ruff]\n')).toEqual([]);
  });

  it('names the files in which it looked for a start', () => {
    const { code, message } = failure({ 'requirements.txt': '', 'lib.py': '' });
    expect([code, message]).toEqual(['no_start_command', expect.stringContaining('main.py')]);
  });
});

describe('Go', () => {
  const GO = 'go build -trimpath -buildvcs=false -o .evident/app';
  test.each([
    [{ 'main.go': '' }, '.'],
    [{ 'cmd/api/main.go': '' }, './cmd/api'],
    [{ 'cmd/api/main.go': '', 'cmd/web/main.go': '' }, './cmd/web'],
  ])('builds %j', (files, main) => {
    const recipe = read({ 'go.mod': 'module example.com/web\n', ...files });
    expect([builds(recipe), command(recipe)]).toEqual([[`${GO} ${main}`], ['./.evident/app']]);
  });

  it('does not guess between programs', () => {
    const files = { 'go.mod': 'module x\n', 'cmd/a/main.go': '', 'cmd/b/main.go': '' };
    expect(failure(files).message).toContain('a, b');
    expect(failure({ 'go.mod': 'module x\n', 'main_test.go': '' }).code).toBe('no_start_command');
  });
});

describe('a site', () => {
  it('is served from the folder of its page', () => {
    expect(read({ 'index.html': '' }, { procfile: 'web', port: 'auto', env: {} })).toMatchObject({
      start: { kind: 'site', root: '.' },
      port: 'auto',
    });
    expect(read({ 'public/index.html': '' }).start).toEqual({ kind: 'site', root: 'public' });
  });

  it('beside a program is left to the program', () => {
    const recipe = read({ 'go.mod': 'module x', 'main.go': '', 'index.html': '' });
    expect(recipe.start.kind).toBe('command');
    expect(recipe.what.join()).not.toContain('site');
  });
});

describe('Procfile', () => {
  const files = { Procfile: '# types\nweb: gunicorn -b :$PORT app\nworker: python3 work.py\n\n' };

  it('gives the command of web, or of the type that the spec names, which has no port', () => {
    expect([command(read(files)), read(files).port]).toEqual(['gunicorn -b :$PORT app', 'auto']);
    const worker = read(files, { procfile: 'worker', port: 'auto' });
    expect([command(worker), worker.port]).toEqual(['python3 work.py', null]);
  });

  it('with one type is that type', () => {
    const only = read({ Procfile: 'clock: node clock.js' }, { procfile: 'web', port: 'auto' });
    expect([command(only), only.port]).toEqual(['node clock.js', null]);
  });

  it('with several types, but no web, leaves the start to the language', () => {
    const types = { Procfile: 'a: x\nb: y' };
    expect(command(read({ ...types, 'package.json': { scripts: { start: 'node .' } } }))).toEqual([
      'node',
      '.',
    ]);
    expect(failure(types).code).toBe('no_start_command');
  });

  it('names its types, and words that no shell runs', () => {
    expect(failure(files, { procfile: 'cron' }).message).toContain('it has web, worker');
    expect(failure({}, { procfile: 'cron' }).message).toContain('no Procfile');
    expect(failure({ Procfile: 'web: a && b' })).toMatchObject({
      code: 'no_start_command',
      message: expect.stringContaining('no shell runs it'),
    });
  });
});

describe('the spec and evident.yaml', () => {
  const manifest = { dependencies: { a: '1' }, scripts: { build: 'x', start: 'node .' } };

  it('replace the build and the start, and leave the installation', () => {
    const recipe = read(
      { 'package.json': manifest },
      { build: 'make $WHAT "a b"', command: ['./run'], env: { WHAT: 'all' } },
    );
    expect(installs(recipe)).toHaveLength(1);
    expect(recipe.builds.map(({ argv }) => argv)).toEqual([['make', 'all', 'a b']]);
    expect(command(recipe)).toEqual(['./run']);
    expect(builds(read({ 'package.json': manifest }, { build: false }))).toEqual([]);
    expect(builds(read({ 'package.json': manifest }, { build: [['a'], ['b', 'c']] }))).toEqual(['a', 'b c']);
    expect(builds(read({ 'package.json': manifest }, { build: ['a', 'b'] }))).toEqual(['a b']);
    expect(failure({ 'package.json': manifest }, { build: 'a "b' }).message).toContain('quote');
  });

  it('the file counts where the spec leaves a field out', () => {
    const files = {
      'evident.yaml': 'name: web\ncommand: ./app --port $PORT\nport: 8080\nenv: {A: x, B: y}\n',
    };
    const recipe = read(files, { port: 'auto', env: { B: 'z' } });
    expect([command(recipe), recipe.port, recipe.env]).toEqual([
      './app --port $PORT',
      8080,
      { A: 'x', B: 'z' },
    ]);
    expect(read(files, { port: null, command: ['x'] })).toMatchObject({
      port: null,
      start: { command: ['x'] },
    });
    expect(read({ 'evident.yaml': 'command: x\nport: null\n' }, { port: 'auto' }).port).toBeNull();
  });

  it('secret values are not used in a build', () => {
    expect(read({ 'index.html': '' }, { env: { A: { secret: 's' }, B: 'b' } }).env).toEqual({ B: 'b' });
  });

  it('a file that cannot be read is named with its line', () => {
    expect(failure({ 'evident.yaml': 'a: [' })).toMatchObject({ code: 'source_invalid' });
    expect(failure({ 'evident.yaml': 'port: many' }).message).toContain('port');
    expect(read({ 'evident.yaml': 'command: x\ncolour: red' }).notes).toEqual([
      expect.stringContaining('colour'),
    ]);
    expect(read({ 'evident.yaml': '', 'index.html': '' }).notes).toEqual([]);
  });
});

describe('a source of no recognised kind', () => {
  it('names the files that were looked for, and those that were found', () => {
    const { code, message } = failure({ 'README.md': '', 'src/a.rs': '' });
    expect(code).toBe('not_recognised');
    for (const word of ['package.json', 'Procfile', 'go.mod', 'index.html', 'README.md, src'])
      expect(message).toContain(word);
  });

  it('is built with the command of the spec, and needs a start all the same', () => {
    expect(failure({ Makefile: '' }, { build: 'make' }).code).toBe('no_start_command');
    expect(builds(read({ Makefile: '' }, { build: 'make', command: './app' }))).toEqual(['make']);
  });
});
