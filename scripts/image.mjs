// Builds the image of the Dockerfile without a container builder and without a registry: from the node of this machine
// and what `npm ci` left here. Its settings are read from the Dockerfile, so that the two cannot differ in them.
//
//   node scripts/image.mjs evident.tar [NAME:TAG]     a docker archive: ctr images import, docker load, podman load
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleIfStale } from './bundle.mjs';
import { ROOT } from './root.mjs';

/** @param {string} file @param {string} [tag] */
export async function writeImage(file, tag = `evident:${manifestOf().version}`) {
  await bundleIfStale('evident');
  const work = mkdtempSync(join(tmpdir(), 'evident-image-'));
  try {
    const root = join(work, 'root');
    copyNode(root);
    copyApp(join(root, 'app'));
    mkdirSync(join(root, 'tmp'), { recursive: true });
    chmodSync(join(root, 'tmp'), 0o1777);
    mkdirSync(join(root, 'data'));
    mkdirSync(join(root, 'etc/ssl/certs'), { recursive: true });
    writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/:/none\nevident:x:10001:10001::/data:/none\n');
    const authorities = '/etc/ssl/certs/ca-certificates.crt';
    if (existsSync(authorities)) cpSync(authorities, join(root, authorities));
    archive(work, file, tag);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Node, and the libraries that it and the packages are linked with, where they are here. @param {string} root */
function copyNode(root) {
  const programs = [process.execPath, ...runtimePackages().flatMap(nativeModules)];
  const linked = execFileSync('ldd', programs, { encoding: 'utf8' }).match(/\/\S+(?= \()/g) ?? [];
  for (const library of new Set(linked)) copyFile(realpathSync(library), join(root, library));
  copyFile(realpathSync(process.execPath), join(root, 'usr/local/bin/node'));
}

/** @param {string} path */
function nativeModules(path) {
  const names = readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.node')).map((name) => join(ROOT, path, name));
}

/** @param {string} from @param {string} to */
function copyFile(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}

/** Everything that runs, and no tool that built it. @param {string} app */
function copyApp(app) {
  for (const name of ['bin', 'dist', 'examples', 'package.json', 'LICENSE'])
    cpSync(join(ROOT, name), join(app, name), { recursive: true });
  const unread = join('@kubernetes', 'client-node', 'dist', 'gen');
  for (const path of runtimePackages())
    cpSync(join(ROOT, path), join(app, path), {
      recursive: true,
      filter: (from) => !from.endsWith(unread) && !from.endsWith('.map') && basename(from) !== '.bin',
    });
}

/** The folders that `npm ci --omit=dev` would install here, without those for another C library than Debian's. */
function runtimePackages() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return Object.entries(/** @type {Record<string, { dev?: boolean }>} */ (packages))
    .filter(
      ([path, { dev }]) =>
        path !== '' && dev !== true && !path.endsWith('-musl') && existsSync(join(ROOT, path)),
    )
    .map(([path]) => path);
}

/** @param {string} work @param {string} file @param {string} tag */
function archive(work, file, tag) {
  const layer = join(work, 'layer.tar');
  const tar = (/** @type {readonly string[]} */ args) =>
    execFileSync('tar', ['-C', join(work, 'root'), ...args]);
  tar(['--owner=0', '--group=0', '--sort=name', '--exclude=./data', '-cf', layer, '.']);
  tar(['--owner=10001', '--group=10001', '-rf', layer, './data']);
  const diff = createHash('sha256').update(readFileSync(layer)).digest('hex');
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const config = {
    architecture,
    os: 'linux',
    config: settings(),
    rootfs: { type: 'layers', diff_ids: [`sha256:${diff}`] },
  };
  writeFileSync(join(work, 'config.json'), JSON.stringify(config));
  const name = tag.includes('/') ? tag : `docker.io/library/${tag}`;
  const manifest = [{ Config: 'config.json', RepoTags: [name], Layers: ['layer.tar'] }];
  writeFileSync(join(work, 'manifest.json'), JSON.stringify(manifest));
  execFileSync('tar', ['-C', work, '-cf', file, 'manifest.json', 'config.json', 'layer.tar']);
}

/** User, environment, directory and entry point of the stage `evident` of the Dockerfile. */
export function settings() {
  const [, stage = ''] = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').split(/^FROM .* AS evident\n/m);
  const lines = stage.split(/^FROM /m)[0] ?? '';
  const of = (/** @type {string} */ word) => new RegExp(`^${word} (.*)$`, 'm').exec(lines)?.[1] ?? '';
  return {
    User: of('USER'),
    Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...of('ENV').split(' ')],
    WorkingDir: of('WORKDIR'),
    ExposedPorts: { [`${of('EXPOSE')}/tcp`]: {} },
    Entrypoint: JSON.parse(of('ENTRYPOINT')),
    Cmd: JSON.parse(of('CMD')),
  };
}

function manifestOf() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [file, tag] = process.argv.slice(2);
  if (file === undefined) {
    console.error('Name the archive: node scripts/image.mjs evident.tar [NAME:TAG]');
    process.exit(2);
  }
  await writeImage(file, tag);
  console.log(file);
}
