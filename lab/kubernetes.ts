import { execFile, execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { installPackage } from './install.ts';

export type KubernetesPart = 'etcd' | 'apiserver' | 'manager' | 'scheduler' | 'containerd' | 'kubelet';

/** A real Kubernetes of our own, to be frozen, killed and restored. */
export interface OwnKubernetes {
  readonly dir: string;
  readonly kubeconfig: string;
  /** The folder of kubectl, for a shell that follows what people are told to type. */
  readonly programs: string;
  /** Runs kubectl as admin; `input` goes to its stdin. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  freeze(part: KubernetesPart): void;
  thaw(part: KubernetesPart): void;
  stop(part: KubernetesPart): Promise<void>;
  start(part: KubernetesPart): Promise<void>;
  /** Copies the files of etcd, which is stopped meanwhile. */
  backUp(): Promise<void>;
  /** Puts the copy in the place of etcd's files, and starts it again; nothing else notices. */
  restore(): Promise<void>;
  down(): Promise<void>;
}

export type KubernetesStart =
  | { readonly ok: true; readonly cluster: OwnKubernetes }
  | { readonly ok: false; readonly why: string };

const run = promisify(execFile);

/** The lab beside the repository, or the one named; else the programs of KUBEBUILDER_ASSETS. */
function findLab(): { readonly script: string } | { readonly programs: string } | { readonly why: string } {
  const folder = process.env.EVIDENT_KUBE_LAB ?? resolve(import.meta.dirname, '../../shared/kube');
  const script = join(folder, 'cluster');
  if (existsSync(script)) return { script };
  const programs = process.env.KUBEBUILDER_ASSETS;
  if (programs !== undefined && existsSync(join(programs, 'kube-apiserver'))) return { programs };
  return {
    why: 'Kubernetes is not here: name the folder of a lab with EVIDENT_KUBE_LAB, or of etcd, kube-apiserver and kubectl with KUBEBUILDER_ASSETS',
  };
}

/** The reason why no cluster can be started here; null where one can. */
export function whyNoKubernetes(options: { readonly node?: boolean } = {}): string | null {
  const lab = findLab();
  if ('why' in lab) return lab.why;
  if (!options.node) return null;
  if (!('script' in lab)) return 'KUBEBUILDER_ASSETS has no kubelet';
  if (process.getuid?.() !== 0) return 'a kubelet needs root';
  if (!NODE_FILES.every((file) => existsSync(file))) installPackage(NODE_PACKAGES);
  return NODE_FILES.every((file) => existsSync(file)) ? null : `a node needs Debian's ${NODE_PACKAGES}`;
}

const NODE_PACKAGES = 'containerd runc containernetworking-plugins iproute2 busybox-static';
const NODE_FILES = ['/usr/bin/containerd', '/usr/sbin/runc', '/usr/lib/cni/bridge', '/bin/busybox'];

/** Starts a cluster in memory on free ports. `node`: with a kubelet that runs real pods; needs root and the lab. */
export async function startKubernetes(options: { readonly node?: boolean } = {}): Promise<KubernetesStart> {
  const lab = findLab();
  const why = whyNoKubernetes(options);
  if (why !== null || 'why' in lab) return { ok: false, why: why ?? 'no lab' };
  const dir = join(mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'evident-kube-')), 'c');
  const port = await freePorts(options);
  try {
    if ('script' in lab) {
      const node = options.node ? ['--node'] : [];
      await run(lab.script, ['up', dir, ...node, '--port', String(port)], { timeout: 90_000 });
      const { stdout } = await run(lab.script, ['bin']);
      return { ok: true, cluster: clusterIn(dir, join(stdout.trim(), 'kubectl'), lab.script) };
    }
    await startPrograms(dir, lab.programs, port);
    return { ok: true, cluster: clusterIn(dir, join(lab.programs, 'kubectl'), null) };
  } catch (error) {
    return { ok: false, why: `Kubernetes did not start: ${error instanceof Error ? error.message : error}` };
  }
}

function clusterIn(dir: string, kubectl: string, script: string | null): OwnKubernetes {
  const kubeconfig = join(dir, 'kubeconfig');
  const pid = (part: KubernetesPart) => Number(readFileSync(join(dir, `${part}.pid`), 'utf8'));
  const backup = join(dir, '..', 'etcd-copy');
  const cluster: OwnKubernetes = {
    dir,
    kubeconfig,
    programs: dirname(kubectl),
    kubectl: (args, input) =>
      new Promise((done, failed) => {
        const child = execFile(
          kubectl,
          ['--kubeconfig', kubeconfig, ...args],
          { timeout: 60_000 },
          (error, out) => (error === null ? done(out) : failed(error)),
        );
        child.stdin?.end(input);
      }),
    freeze: (part) => process.kill(pid(part), 'SIGSTOP'),
    thaw: (part) => process.kill(pid(part), 'SIGCONT'),
    async stop(part) {
      if (script !== null) await run(script, ['stop', dir, part]);
      else await killed(pid(part));
    },
    async start(part) {
      // The part inherits only the log as its output, so that this ends although the part goes on.
      if (script !== null) execFileSync(script, ['start', dir, part], { stdio: 'ignore' });
      else begin(dir, part, JSON.parse(readFileSync(join(dir, `${part}.args`), 'utf8')));
    },
    async backUp() {
      await cluster.stop('etcd');
      rmSync(backup, { recursive: true, force: true });
      cpSync(join(dir, 'etcd'), backup, { recursive: true });
      await cluster.start('etcd');
      await untilReady(cluster);
    },
    async restore() {
      await cluster.stop('etcd');
      rmSync(join(dir, 'etcd'), { recursive: true });
      cpSync(backup, join(dir, 'etcd'), { recursive: true });
      await cluster.start('etcd');
    },
    async down() {
      // Without a node the script ends with 1 once everything is stopped, since nothing is mounted.
      if (script !== null) await run(script, ['down', dir]).catch(() => {});
      else await Promise.all((['apiserver', 'etcd'] as const).map((part) => killed(pid(part))));
      rmSync(join(dir, '..'), { recursive: true, force: true });
    },
  };
  return cluster;
}

/** Etcd and the API server alone: no controller makes pods of Deployments. */
async function startPrograms(dir: string, programs: string, port: number): Promise<void> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = (name: string) => join(dir, name);
  execFileSync('openssl', ['genrsa', '-out', file('sa.key'), '2048'], { stdio: 'ignore' });
  const token = crypto.randomUUID();
  writeFileSync(file('tokens.csv'), `${token},admin,admin,system:masters\n`);
  const [etcd, peer] = [`http://127.0.0.1:${port + 1}`, `http://127.0.0.1:${port + 2}`];
  begin(dir, 'etcd', [
    join(programs, 'etcd'),
    ...['--data-dir', file('etcd'), '--unsafe-no-fsync', '--initial-cluster', `default=${peer}`],
    ...['--listen-client-urls', etcd, '--advertise-client-urls', etcd],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
  ]);
  begin(dir, 'apiserver', [
    join(programs, 'kube-apiserver'),
    ...['--etcd-servers', etcd, '--bind-address', '127.0.0.1', '--secure-port', String(port)],
    ...['--cert-dir', file('certs'), '--token-auth-file', file('tokens.csv'), '--authorization-mode', 'RBAC'],
    ...[
      '--service-cluster-ip-range',
      '10.96.0.0/24',
      '--service-account-issuer',
      'https://kubernetes.default.svc',
    ],
    ...['--service-account-key-file', file('sa.key'), '--service-account-signing-key-file', file('sa.key')],
    '--disable-admission-plugins=ServiceAccount',
  ]);
  const server = `https://127.0.0.1:${port}`;
  writeFileSync(
    file('kubeconfig'),
    JSON.stringify({
      clusters: [{ name: 'lab', cluster: { server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'admin', user: { token } }],
      contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'admin' } }],
      'current-context': 'lab',
    }),
  );
  await untilReady(clusterIn(dir, join(programs, 'kubectl'), null));
}

function begin(dir: string, part: KubernetesPart, [program = '', ...args]: readonly string[]): void {
  const log = openSync(join(dir, `${part}.log`), 'a');
  const child = spawn(program, args, { stdio: ['ignore', log, log], detached: true });
  child.unref();
  closeSync(log);
  writeFileSync(join(dir, `${part}.args`), JSON.stringify([program, ...args]));
  writeFileSync(join(dir, `${part}.pid`), String(child.pid));
}

async function killed(pid: number): Promise<void> {
  try {
    process.kill(pid, 'SIGKILL');
    for (;;) {
      process.kill(pid, 0);
      await wait(20);
    }
  } catch {
    // It is gone.
  }
}

async function untilReady(cluster: OwnKubernetes): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await cluster.kubectl(['get', '--raw', '/readyz']);
      return;
    } catch (error) {
      if (tries > 100) throw error;
      await wait(200);
    }
  }
}

/** The first of five ports in a row that are free. */
async function freePorts(options: { readonly node?: boolean }): Promise<number> {
  const addresses = options.node ? (await run('ip', ['-4', '-o', 'addr'])).stdout : '';
  for (;;) {
    const base = 20_000 + 10 * Math.floor(Math.random() * 1_200);
    if (addresses.includes(` ${podSubnet(base)}.`)) continue;
    const free = await Promise.all([0, 1, 2, 3, 4].map((offset) => isFree(base + offset)));
    if (free.every(Boolean)) return base;
  }
}

/**
 * The network that the lab gives to pods of the cluster at this port. A lab that was killed leaves its bridge: with the
 * same network, answers to pods of the new one would go there.
 */
function podSubnet(base: number): string {
  return `10.77.${Math.floor(base / 10) % 250}`;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
}
