import { appHasPort, hostsIn, patienceMs, type SoakService, STABILITY_MS } from '../apps.ts';
import type { TruthSample } from '../compare.ts';
import { ask } from './ask.ts';
import { Asker } from './asker.ts';
import type { OwnDelay } from './own-delay.ts';
import { type AppProcess, ProcessTable } from './processes.ts';
import { NO_EXITS, type Steadiness, steadinessAfter } from './steadiness.ts';

const LOOK_MS = 200;
export const ASK_MS = 500;
/** Longer than any lag that is held against a claim. */
const KEPT_MS = 120_000;
/** One more than a crash loop has: an exit that nobody could watch does not count. */
const CRASH_LOOP_EXITS = 4;

interface AppInstance {
  readonly process: AppProcess;
  readonly asked: Asker | null;
}

/** One service, as it is. */
class ServiceTruth {
  readonly service: SoakService;
  readonly samples: TruthSample[] = [];
  instances = new Map<string, AppInstance>();
  /** By the router's port: one for each host name. */
  readonly routes = new Map<number, readonly Asker[]>();
  /** When processes of its current revision ended, and which that is. */
  exits: number[] = [];
  exitsOf = 0;
  steadiness: Steadiness = NO_EXITS;

  constructor(service: SoakService) {
    this.service = service;
  }
}

interface TruthParts {
  /** Marks the processes of this run. */
  readonly run: string;
  readonly services: readonly SoakService[];
  readonly routerPort: number;
  readonly own: OwnDelay;
  /** The revisions of a service whose processes are wanted now. */
  readonly currentOf: (service: string) => readonly number[];
}

/** Looks at processes and asks them and the router, several times a second, and keeps what it found. */
export class GroundTruth {
  readonly #table: ProcessTable;
  readonly #services: ReadonlyMap<string, ServiceTruth>;
  readonly #parts: TruthParts;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: TruthParts) {
    this.#parts = parts;
    this.#table = new ProcessTable(parts.run);
    this.#services = new Map(parts.services.map((service) => [service.name, new ServiceTruth(service)]));
    this.addRouter(parts.routerPort);
  }

  start(): void {
    this.#timer = setInterval(() => this.#look(performance.now()), LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Users of a service ask there too. */
  addRouter(port: number): void {
    for (const { service, routes } of this.#services.values())
      if (appHasPort(service))
        routes.set(
          port,
          hostsIn(service).map((host) => this.#asker(service, port, host)),
        );
  }

  removeRouter(port: number): void {
    for (const { routes } of this.#services.values()) routes.delete(port);
  }

  samplesOf(name: string): readonly TruthSample[] {
    return this.#services.get(name)?.samples ?? [];
  }

  /** The truth about all services, as of now. */
  processes(): AppProcess[] {
    return this.#table.look(performance.now());
  }

  #asker(service: SoakService, port: number, host: string): Asker {
    const question = { port, host, service: service.name, patienceMs: patienceMs(service) };
    return new Asker(() => ask(question), ASK_MS, this.#parts.own);
  }

  #look(now: number): void {
    const processes = this.#table.look(now);
    for (const truth of this.#services.values()) {
      this.#meet(
        truth,
        processes.filter(({ service }) => service === truth.service.name),
        now,
      );
      for (const route of truth.routes.values()) for (const host of route) host.look(now);
      truth.samples.push(sampleOf(truth, now));
      while ((truth.samples[0]?.at ?? now) < now - KEPT_MS) truth.samples.shift();
    }
  }

  #meet(truth: ServiceTruth, processes: readonly AppProcess[], now: number): void {
    const { service, instances } = truth;
    const next = new Map<string, AppInstance>();
    for (const process of processes) {
      const { pid, startTicks, port } = process;
      const key = `${pid} ${startTicks}`;
      const asked = instances.get(key)?.asked ?? (port === null ? null : this.#asker(service, port, 'app'));
      asked?.look(now);
      next.set(key, { process, asked });
    }
    const current = this.#parts.currentOf(service.name);
    const gone = [...instances].filter(
      ([key, { process }]) => !next.has(key) && current.includes(process.revision),
    );
    truth.instances = next;
    if (gone.length === 0) return;
    // A scaling keeps the processes of the revision before, and their memory with them.
    const first = current.at(-1) ?? 0;
    if (first !== truth.exitsOf) truth.exits = [];
    truth.exitsOf = first;
    truth.exits.push(...gone.map(() => now));
    truth.steadiness = steadinessAfter(truth.exits, STABILITY_MS);
  }
}

function sampleOf({ service, instances, steadiness, routes }: ServiceTruth, at: number): TruthSample {
  const living: Record<number, number> = {};
  const answering: Record<number, number> = {};
  for (const { process, asked } of instances.values()) {
    const { revision, isRunnable } = process;
    living[revision] = (living[revision] ?? 0) + 1;
    const isAnswering = isRunnable && (asked === null || asked.answer === revision);
    if (isAnswering) answering[revision] = (answering[revision] ?? 0) + 1;
  }
  const routed = [...routes.values()].flatMap((hosts) => {
    const answers = hosts.map(({ answer }) => answer);
    return answers.every((answer) => answer !== null) ? (answers[0] ?? []) : [];
  });
  return {
    ...{ at, living, answering, alive: instances.size, steadyAfterMs: steadiness.windowMs },
    routed: routes.size === 0 ? 'portless' : routed,
    isCrashLoop: service.kind === 'crash' && steadiness.exits >= CRASH_LOOP_EXITS,
  };
}
