import { randomBytes } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bootId, identify, type ProcessId } from '../process/proc.ts';
import { Router, type TlsOptions } from '../router/router.ts';
import type { ServiceRoute } from '../supervise/router-port.ts';
import { writeDurably } from '../supervise/state-file.ts';
import type { ControlOrder, RouterStatus } from './control.ts';
import { ControlServer } from './control-server.ts';
import { handOver, takeOver } from './hand-over.ts';
import { CONTROL_VERSION, recordPath, routerDir, SOCKET, tablePath } from './place.ts';
import { type RouterTable, readTable, TableFile } from './table.ts';

interface RouterProcessOptions {
  /** The place whose router this is. */
  readonly place: string;
  readonly version: string;
  /** Takes the router's directory for this process alone; throws if another one has it. Gives the way to release it. */
  readonly lock: (dir: string) => () => void;
  readonly say: (line: string) => void;
  readonly stop: AbortSignal;
}

/** The time that requests in hand have when the router ends. */
const CLOSE_MS = 5_000;
/** The time that they have when another router has taken its place. */
const REPLACED_MS = 60_000;
/** The interval at which it looks whether its directory is still there and its own. */
const LOOK_EVERY_MS = 2_000;
/** The interval at which a port is tried again that could not be opened. */
const LISTEN_EVERY_MS = 1_000;

/**
 * A router in a process of its own: forwards by the last table that it was given, whoever gave it lives or not
 * (docs/adr/0027-the-router-is-a-process-of-its-own.md). It ends when it is stopped, when another one takes its place, or
 * when its directory is removed.
 */
export async function runRouterProcess(options: RouterProcessOptions): Promise<void> {
  const dir = routerDir(options.place);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const hosted = new HostedRouter(dir, options);
  await hosted.start();
  await hosted.ended;
}

class HostedRouter {
  readonly ended: Promise<void>;
  readonly #dir: string;
  readonly #options: RouterProcessOptions;
  readonly #secret = randomBytes(32).toString('hex');
  readonly #router: Router;
  readonly #control: ControlServer;
  readonly #file: TableFile;
  readonly #routes = new Map<string, ServiceRoute>();
  /** The ports that services shall have; one that is taken is tried again. */
  readonly #ports = new Map<string, number>();
  #listens: RouterTable['listens'] = null;
  #release: () => void = () => {};
  #end: () => void = () => {};
  #isEnding = false;
  #timers: NodeJS.Timeout[] = [];

  constructor(dir: string, options: RouterProcessOptions) {
    this.#dir = dir;
    this.#options = options;
    this.ended = new Promise((done) => {
      this.#end = done;
    });
    this.#control = this.#newControl();
    this.#router = new Router({
      host: '127.0.0.1',
      port: 0,
      secret: this.#secret,
      onRefused: (uid) => this.#control.refused(uid),
    });
    const { say } = options;
    this.#file = new TableFile(
      tablePath(dir),
      () => this.#table(),
      (error) => say(`The routes could not be saved: ${error.message}`),
    );
  }

  async start(): Promise<void> {
    const table = readTable(tablePath(this.#dir));
    for (const route of table.routes) this.#set(route);
    for (const { service, port } of table.ports) this.#ports.set(service, port);
    this.#listens = table.listens;
    // Inherited listeners are served at once: nobody who connects is refused while one router replaces another.
    const tls = this.#listens?.tls ?? null;
    const { say } = this.#options;
    const confirm = await takeOver((name, handle) => this.#router.adopt(name, handle, tls, say));
    this.#release = this.#options.lock(this.#dir);
    await this.#control.listen();
    await this.#tryToListen();
    await this.#save();
    confirm();
    this.#options.say(`The router answers on port ${this.#router.port}, process ${process.pid}.`);
    const socket = statSync(join(this.#dir, SOCKET)).ino;
    this.#timers = [
      setInterval(() => this.#look(socket), LOOK_EVERY_MS),
      setInterval(() => void this.#tryToListen(), LISTEN_EVERY_MS),
    ];
    this.#options.stop.addEventListener('abort', () => void this.#stop(CLOSE_MS));
    if (this.#options.stop.aborted) await this.#stop(CLOSE_MS);
  }

  #newControl(): ControlServer {
    return new ControlServer(this.#dir, this.#secret, (order) => this.#carryOut(order));
  }

  async #carryOut(order: ControlOrder): Promise<RouterStatus> {
    switch (order.order) {
      case 'hello':
      case 'ping':
        break;
      case 'listen':
        await this.#router.listenOn(order.host, order.port);
        await this.#router.listenTls(order.tls, this.#options.say);
        this.#listens = { host: order.host, port: this.#router.port, tls: this.#openTls(order.tls) };
        this.#file.saveSoon();
        break;
      case 'set':
        this.#set(order.route);
        this.#file.saveSoon();
        break;
      case 'expose':
        await this.#router.expose(order.service, order.port);
        this.#ports.set(order.service, order.port);
        this.#file.saveSoon();
        break;
      case 'delete':
        this.#delete(order.service);
        break;
      case 'keep':
        for (const service of new Set([...this.#routes.keys(), ...this.#ports.keys()]))
          if (!order.services.includes(service)) this.#delete(service);
        break;
      case 'drain':
        await this.#router.drained(order.uid, order.withinMs);
        break;
      case 'hand_over':
        await this.#handOver(order.program, order.args);
        break;
      case 'stop':
        // Answered first: whoever waits for the answer would wait for a connection that is closed.
        setImmediate(() => void this.#stop(order.withinMs));
        break;
    }
    const forwards = [...this.#routes.values()].filter(({ endpoints }) => endpoints.length > 0);
    const { port, https } = this.#router;
    return { port, https, forwards: forwards.map(({ service }) => service) };
  }

  /** With the port that was taken, so that a router that is started again has the same. */
  #openTls(tls: TlsOptions | null): TlsOptions | null {
    return tls === null ? null : { ...tls, port: this.#router.https?.port ?? tls.port };
  }

  #set(route: ServiceRoute): void {
    this.#routes.set(route.service, route);
    this.#router.set(route);
  }

  #delete(service: string): void {
    this.#routes.delete(service);
    this.#ports.delete(service);
    this.#router.delete(service);
    this.#file.saveSoon();
  }

  /** Opens what the table names and is not open: at its start, and where another process has had the port. */
  async #tryToListen(): Promise<void> {
    if (this.#isEnding || this.#listens === null) return;
    const { host, port, tls = null } = this.#listens;
    const opening = [
      this.#router.listenOn(host, port).then(() => this.#router.listenTls(tls, () => {})),
      ...[...this.#ports].map(([service, own]) => this.#router.expose(service, own)),
    ];
    await Promise.allSettled(opening);
  }

  async #handOver(program: string, args: readonly string[]): Promise<void> {
    await this.#file.saved();
    await handOver(program, args, this.#router.listeners(), () => {
      clearTimers(this.#timers);
      void this.#control.stopListening();
      this.#release();
      this.#release = () => {};
    });
    this.#options.say('Another router has taken over.');
    setImmediate(() => void this.#stop(REPLACED_MS));
  }

  async #save(): Promise<void> {
    const { version } = this.#options;
    const self = identify(process.pid) as ProcessId;
    const record = { process: self, version, control: CONTROL_VERSION, secret: this.#secret };
    await writeDurably(recordPath(this.#dir), JSON.stringify(record));
  }

  #table(): RouterTable {
    return {
      version: 1,
      boot: bootId(),
      listens: this.#listens,
      routes: [...this.#routes.values()],
      ports: [...this.#ports].map(([service, port]) => ({ service, port })),
    };
  }

  /** A directory that was removed, or given to another router, has no use for this one. */
  #look(socket: number): void {
    try {
      if (statSync(join(this.#dir, SOCKET)).ino === socket) return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return;
    }
    this.#options.say('The directory of this router is no longer its own, so it ends.');
    void this.#stop(CLOSE_MS);
  }

  async #stop(withinMs: number): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    clearTimers(this.#timers);
    await this.#file.saved();
    void this.#control.stopListening();
    this.#control.close();
    await this.#router.close(withinMs);
    this.#release();
    this.#end();
  }
}

function clearTimers(timers: readonly NodeJS.Timeout[]): void {
  for (const timer of timers) clearInterval(timer);
}
