import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packTar } from 'modern-tar';
import { removeDirectory } from '../../lab/remove-directory.ts';
import type { Spec } from '../../src/contract/intent.ts';
import type { LabApp, RuntimeLab } from '../../src/runtime/conformance.ts';
import { Containment, endContainer } from '../../src/runtime/process/containment.ts';
import { INSTANCE_VARIABLE } from '../../src/runtime/process/environment.ts';
import { type Isolation, NO_ISOLATION, ownerOf } from '../../src/runtime/process/isolation.ts';
import { OutputFile } from '../../src/runtime/process/output-file.ts';
import { markedWith, type ProcessId, signal as send, signalGroup } from '../../src/runtime/process/proc.ts';
import { openProcessRuntime, type ProcessRuntime } from '../../src/runtime/process/runtime.ts';
import { sandboxesHere } from '../../src/runtime/process/sandbox.ts';
import { Router } from '../../src/runtime/router/router.ts';
import type { ServiceRecord } from '../../src/runtime/supervise/record.ts';
import type { Timing } from '../../src/runtime/supervise/timing.ts';

/** A server that answers with its identity, on the port of its environment. */
export const WEB = `
const { createServer } = require('node:http');
createServer((req, res) => {
  const { EVIDENT_REVISION: revision, EVIDENT_INSTANCE: instance } = process.env;
  req.resume().on('end', () => res.end(JSON.stringify({ revision, instance, pid: process.pid, env: req.url === '/env' ? process.env : undefined })));
}).listen(Number(process.env.PORT));
`;

const APPS: Readonly<Record<LabApp, Spec>> = {
  web: { command: ['node', 'web.js'], port: 3000, replicas: 1 },
  deaf: { command: ['sleep', '600'], port: 3000, replicas: 1 },
  crashing: { command: ['sh', '-c', 'exit 3'], port: 3000, replicas: 1 },
  worker: { command: ['sh', '-c', 'echo working; exec sleep 600'], port: null, replicas: 1 },
};

export async function tarOf(files: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const entries = Object.entries(files).map(([name, body]) => ({
    header: { name, size: Buffer.byteLength(body), mtime: new Date(0) },
    body,
  }));
  return packTar(entries);
}

export const digestOf = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Short times, so that tests are fast. */
export const QUICK: Partial<Timing> = {
  restartBaseMs: 20,
  aliveMs: 200,
  eagerProbeMs: 20,
  settlingProbeMs: 100,
  probeEveryMs: 100,
  // Long: an app that is slow because the machine is busy must not count as one that hangs.
  probeTimeoutMs: 20_000,
  pidEveryMs: 50,
  proveEveryMs: 200,
  proveWholeEveryMs: 400,
  drainMs: 2_000,
  graceMs: 2_000,
};

/** The sandbox that instances run in, if the tests are started so; else they are kept from nothing. */
const SANDBOX = process.env.EVIDENT_TEST_SANDBOX;

export function isolationHere(hidden: readonly string[]): Isolation {
  const sandbox = sandboxesHere().find(({ kind }) => kind === SANDBOX);
  return sandbox === undefined ? NO_ISOLATION : { kind: 'namespaces', sandbox, hidden };
}

/** A directory and its processes, which all end with it. */
export class ProcessLab implements RuntimeLab {
  readonly dir = mkdtempSync(join(tmpdir(), 'evident-runtime-'));
  readonly lines: string[] = [];
  readonly isolation = isolationHere([this.dir]);
  readonly #bytes = new Map<string, Uint8Array>();
  fetched = 0;
  /** A seam: called when bytes are fetched. */
  fetching: () => void = () => {};

  static async new(): Promise<ProcessLab> {
    const lab = new ProcessLab();
    await lab.keep({ 'web.js': WEB });
    return lab;
  }

  async keep(files: Readonly<Record<string, string>>): Promise<string> {
    const bytes = await tarOf(files);
    const digest = digestOf(bytes);
    this.#bytes.set(digest, bytes);
    return digest;
  }

  async open(): Promise<ProcessRuntime> {
    const { runtime } = await this.openWithRouter();
    return runtime;
  }

  async openWithRouter(
    timing: Partial<Timing> = {},
    containment?: Containment,
  ): Promise<{ runtime: ProcessRuntime; router: Router }> {
    let runtime: ProcessRuntime | null = null;
    const router = new Router({
      host: '127.0.0.1',
      port: 0,
      onRefused: (uid) => runtime?.refreshInstance(uid),
    });
    runtime = await openProcessRuntime({
      dir: this.dir,
      router,
      timing: { ...QUICK, ...timing },
      isolation: this.isolation,
      ...(containment && { containment }),
      say: (line) => this.lines.push(line),
      fetch: async (digest) => {
        this.fetched += 1;
        this.fetching();
        const bytes = this.#bytes.get(digest);
        if (bytes === undefined) throw new Error('there is no such artifact');
        return (async function* () {
          yield bytes;
        })();
      },
    });
    return { runtime, router };
  }

  async app(app: LabApp) {
    return { artifact: await this.keep({ 'web.js': WEB }), spec: APPS[app] };
  }

  /** The directory of the unpacked artifacts of a service. */
  artifactsOf(service: string): string {
    return join(this.dir, 'artifacts', ownerOf(this.isolation, service)?.folder ?? '');
  }

  /** True if instances have a namespace of their own. */
  get isApart(): boolean {
    return Containment.probe(this.isolation).kind === 'namespace';
  }

  record(service: string): ServiceRecord<ProcessId> {
    return JSON.parse(
      readFileSync(join(this.dir, 'services', `${service}.json`), 'utf8'),
    ) as ServiceRecord<ProcessId>;
  }

  kill(instance: { readonly uid: string }): void {
    this.#signal(instance, 'SIGKILL');
  }

  suspend(instance: { readonly uid: string }): void {
    this.#signal(instance, 'SIGSTOP');
  }

  resume(instance: { readonly uid: string }): void {
    this.#signal(instance, 'SIGCONT');
  }

  #signal({ uid }: { readonly uid: string }, signal: NodeJS.Signals): void {
    // The death of one may have ended the others.
    for (const { id, value } of markedWith(INSTANCE_VARIABLE)) if (value === uid) send(id.pid, signal);
  }

  async end(): Promise<void> {
    const uids = new Set(readdirSync(join(this.dir, 'instances')));
    for (const { group, value } of markedWith(INSTANCE_VARIABLE))
      if (uids.has(value)) signalGroup(group, 'SIGKILL');
    for (const uid of uids) {
      const home = join(this.dir, 'instances', uid);
      await endContainer(home);
      await new OutputFile(home).end();
    }
    await removeDirectory(this.dir);
  }
}
