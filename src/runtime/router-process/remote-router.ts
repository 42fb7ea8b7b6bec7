import { setTimeout as wait } from 'node:timers/promises';
import { isAlive, signal as send } from '../process/proc.ts';
import { proveRoute, reachedAt } from '../router/proof.ts';
import type { TlsOptions } from '../router/router.ts';
import { AWAKE } from '../supervise/awake-clock.ts';
import type {
  HttpsDoor,
  RouteQuestion,
  RouteReply,
  RouterPort,
  ServiceRoute,
} from '../supervise/router-port.ts';
import { ControlClient } from './control-client.ts';
import { CONTROL_VERSION, livingRouter, type RouterRecord, routerDir } from './place.ts';
import { endProcess, type RouterCommand, startRouter } from './start-router.ts';

interface RemoteRouterOptions {
  readonly place: string;
  readonly host: string;
  /** 0 takes any. */
  readonly port: number;
  readonly tls: TlsOptions | null;
  readonly command: RouterCommand;
  readonly version: string;
  /** A router that answers no order for this long hangs, and is replaced. Tests shorten it. */
  readonly hangsMs?: number;
  readonly say: (line: string) => void;
  /** An instance refused a connection or broke one off: it should be observed at once. */
  readonly onRefused: (uid: string) => void;
  /** It has ended, or answers again: every route should be proven at once. */
  readonly onTurn: () => void;
}

const START_MS = 30_000;
const HAND_OVER_MS = 40_000;
const HANGS_MS = 10_000;
/** One that does not answer for this part of that time proves no route: until then the last proof counts. */
const SILENT_PART = 0.3;
const LAST_WORDS_MS = 2_000;
const PING_EVERY_MS = 2_000;
const AGAIN_MS = 100;
const AGAIN_MAX_MS = 5_000;
/** The time in which the instances of a former agent are looked at: until then the former routes count. */
const ADOPTED_MS = 7_000;

/**
 * A router in a process of its own, as supervision sees it. Finds the living one or starts one, tells it everything that
 * changes, and starts another when it has died. Its death is a fact: until another answers, no route is proven.
 */
export class RemoteRouter implements RouterPort {
  readonly #options: RemoteRouterOptions;
  readonly #dir: string;
  readonly #routes = new Map<string, ServiceRoute>();
  readonly #ports = new Map<string, number>();
  /** Services whose former route counts until their instances have been looked at. */
  #former: ReadonlySet<string> = new Set();
  #client: ControlClient | null = null;
  #port = 0;
  #https: HttpsDoor | null = null;
  #isClosed = false;
  #isPinging = false;
  /** It has not answered the last ping for so long that no route counts as proven. */
  #isSilent = false;
  #timers: NodeJS.Timeout[] = [];

  constructor(options: RemoteRouterOptions) {
    this.#options = options;
    this.#dir = routerDir(options.place);
  }

  get port(): number {
    return this.#port;
  }

  get https(): HttpsDoor | null {
    return this.#https;
  }

  async listen(): Promise<void> {
    const isFound = livingRouter(this.#dir) !== null;
    try {
      await this.#connect().catch((error) => {
        if (!isFound || (error as NodeJS.ErrnoException).code !== undefined) throw error;
        return this.#connect();
      });
    } catch (error) {
      const started = isFound ? null : livingRouter(this.#dir);
      if (started !== null) await endProcess(started.process);
      throw error;
    }
    this.#timers = [
      setInterval(() => void this.#ping(), PING_EVERY_MS),
      setTimeout(() => this.#forgetFormer(), ADOPTED_MS),
    ];
  }

  set(route: ServiceRoute): void {
    this.#routes.set(route.service, route);
    this.#send(route);
  }

  async expose(service: string, port: number): Promise<void> {
    await this.#living().send({ order: 'expose', service, port });
    this.#ports.set(service, port);
  }

  isExposed(service: string): boolean {
    return this.#ports.has(service);
  }

  delete(service: string): void {
    this.#routes.delete(service);
    this.#ports.delete(service);
    void this.#client?.send({ order: 'delete', service });
  }

  async prove(question: RouteQuestion, signal: AbortSignal): Promise<RouteReply> {
    const client = this.#client;
    if (client === null || this.#isSilent) return { kind: 'denied', reason: 'router_down' };
    const aborted = new Promise<void>((done) => {
      signal.addEventListener('abort', () => done(), { once: true });
    });
    await Promise.race([client.settled(), aborted]);
    if (signal.aborted) return { kind: 'failed' };
    const address = reachedAt(this.#options.host);
    const own = this.#ports.get(question.service);
    const door = { address, port: this.#port, own, https: this.#https, secret: client.record.secret };
    return proveRoute(door, question, signal);
  }

  /** A router that has ended has no request in hand. */
  async drained(uid: string, withinMs: number): Promise<void> {
    await this.#client?.send({ order: 'drain', uid, withinMs }).catch(() => {});
  }

  async close(withinMs: number, isNeeded: boolean): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    const client = this.#client;
    this.#client = null;
    if (client === null) return;
    const isTold = await client.within(LAST_WORDS_MS, { order: 'ping' }).then(
      () => true,
      () => false,
    );
    if (!isNeeded) {
      if (isTold) await client.send({ order: 'stop', withinMs }).catch(() => {});
      await endProcess(client.record.process);
    }
    client.close();
  }

  #living(): ControlClient {
    if (this.#client === null) throw new Error('The router has ended and is being started again.');
    return this.#client;
  }

  /** The former route of a service stays while nobody has looked at its instances. */
  #send(route: ServiceRoute, client = this.#client): void {
    if (this.#former.has(route.service) && route.endpoints.length === 0 && !route.isStopped) return;
    void client?.send({ order: 'set', route });
  }

  #forgetFormer(): void {
    const former = this.#former;
    this.#former = new Set();
    for (const route of this.#routes.values()) if (former.has(route.service)) this.#send(route);
  }

  async #connect(): Promise<void> {
    const { host, port, tls, onRefused } = this.#options;
    const record = await this.#record();
    const { client, status } = await ControlClient.open(this.#dir, record, onRefused).catch(async (error) => {
      // It hangs, or is about to end: the next try finds none.
      if (isAlive(record.process)) send(record.process.pid, 'SIGKILL');
      throw error;
    });
    try {
      await this.#tellAll(client, status.forwards);
      const wanted = this.#port === 0 ? port : this.#port;
      const listens = await client.send({ order: 'listen', host, port: wanted, tls });
      this.#port = listens.port;
      this.#https = listens.https;
      for (const [service, own] of this.#ports) await this.#reopen(client, service, own);
    } catch (error) {
      client.close();
      throw error;
    }
    this.#client = client;
    // What changed meanwhile was told to nobody.
    for (const route of this.#routes.values()) this.#send(route);
    void client.closed.then(() => this.#lost());
  }

  async #tellAll(client: ControlClient, forwards: readonly string[]): Promise<void> {
    // At the first contact the instances of a former agent may not have answered yet; later they all have.
    if (this.#port === 0) this.#former = new Set(forwards);
    void client.send({ order: 'keep', services: [...this.#routes.keys()] });
    for (const route of this.#routes.values()) this.#send(route, client);
    await client.settled();
  }

  /** A port that another process has taken meanwhile is tried again by the router itself. */
  async #reopen(client: ControlClient, service: string, port: number): Promise<void> {
    await client.send({ order: 'expose', service, port }).catch((error: Error) => {
      this.#options.say(`${service}: port ${port} could not be opened again: ${error.message}`);
    });
  }

  /** The living router, of this version; one is started if there is none. */
  async #record(): Promise<RouterRecord> {
    const { command, version, say, onRefused } = this.#options;
    const living = livingRouter(this.#dir);
    if (living?.version === version && living.control === CONTROL_VERSION) return living;
    if (living === null) return this.#start();
    const old = `The router is of version ${living.version}`;
    try {
      const { client } = await ControlClient.open(this.#dir, living, onRefused);
      await client.within(HAND_OVER_MS, { order: 'hand_over', ...command });
      client.close();
      const heir = livingRouter(this.#dir);
      if (heir === null) throw new Error('the new one has ended');
      say(`${old}: it has handed over to one of version ${version}. No connection was refused.`);
      return heir;
    } catch (error) {
      say(`${old} and did not hand over (${(error as Error).message}): it is ended and another started.`);
      await endProcess(living.process);
      return this.#start();
    }
  }

  async #start(): Promise<RouterRecord> {
    const { command } = this.#options;
    const started = await startRouter(this.#dir, command, START_MS);
    if (started === null) throw new Error(`The router did not start; ${this.#dir}/router.log says why.`);
    return started;
  }

  /** Finds out whether it answers at all: one that hangs keeps its connection and its port. */
  async #ping(): Promise<void> {
    const client = this.#client;
    if (client === null || this.#isPinging) return;
    this.#isPinging = true;
    const { process } = client.record;
    const { hangsMs = HANGS_MS } = this.#options;
    const callOff = AWAKE.after(hangsMs * SILENT_PART, () => this.#setSilent(client, true));
    try {
      // A renewed certificate may cover other names.
      this.#https = (await client.within(hangsMs, { order: 'ping' })).https;
      this.#setSilent(client, false);
    } catch {
      if (this.#isClosed || !isAlive(process)) return;
      this.#options.say(`The router (process ${process.pid}) does not answer: it is killed.`);
      send(process.pid, 'SIGKILL');
    } finally {
      callOff();
      this.#isPinging = false;
    }
  }

  #setSilent(client: ControlClient, isSilent: boolean): void {
    if (this.#client !== client || this.#isSilent === isSilent) return;
    this.#isSilent = isSilent;
    this.#options.onTurn();
  }

  async #lost(): Promise<void> {
    if (this.#isClosed) return;
    this.#client = null;
    this.#isSilent = false;
    this.#options.say('The router has ended: it is started again.');
    this.#options.onTurn();
    for (let pauseMs = AGAIN_MS; !this.#isClosed; pauseMs = Math.min(AGAIN_MAX_MS, pauseMs * 2)) {
      try {
        await this.#connect();
        if (this.#isClosed) return this.#living().close();
        this.#options.onTurn();
        return this.#options.say(`The router answers again on port ${this.#port}.`);
      } catch (error) {
        this.#options.say(`The router could not be started: ${(error as Error).message}`);
      }
      await wait(pauseMs, undefined, { ref: false });
    }
  }
}
