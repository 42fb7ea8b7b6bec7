import { appHasPort, patienceMs, type SoakService } from '../apps.ts';
import type { TruthSample } from '../compare.ts';
import { ask } from './ask.ts';
import { Asker } from './asker.ts';
import { type AppProcess, ProcessTable } from './processes.ts';

const LOOK_MS = 200;
const ASK_MS = 500;
/** Longer than any lag that is held against a claim. */
const KEPT_MS = 120_000;
const MEMORY_MS = 600_000;
const CRASH_LOOP_EXITS = 3;

interface AppInstance {
  readonly process: AppProcess;
  readonly asked: Asker | null;
}

/** One service, as it is. */
class ServiceTruth {
  readonly service: SoakService;
  readonly samples: TruthSample[] = [];
  instances = new Map<string, AppInstance>();
  /** When processes of its current revision ended. */
  exits: number[] = [];
  readonly route: Asker | null;

  constructor(service: SoakService, routerPort: number) {
    this.service = service;
    const { name } = service;
    const question = { port: routerPort, host: `${name}.localhost`, service: name };
    this.route = appHasPort(service)
      ? new Asker(() => ask({ ...question, patienceMs: patienceMs(service) }), ASK_MS)
      : null;
  }
}

/** Looks at processes and asks them and the router, several times a second, and keeps what it found. */
export class GroundTruth {
  readonly #table: ProcessTable;
  readonly #services: ReadonlyMap<string, ServiceTruth>;
  readonly #currentOf: (service: string) => readonly number[];
  #timer: NodeJS.Timeout | undefined;

  /** @param currentOf the revisions of a service whose processes are wanted now */
  constructor(
    run: string,
    services: readonly SoakService[],
    routerPort: number,
    currentOf: (service: string) => readonly number[],
  ) {
    this.#table = new ProcessTable(run);
    this.#services = new Map(
      services.map((service) => [service.name, new ServiceTruth(service, routerPort)]),
    );
    this.#currentOf = currentOf;
  }

  start(): void {
    this.#timer = setInterval(() => this.#look(performance.now()), LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  samplesOf(name: string): readonly TruthSample[] {
    return this.#services.get(name)?.samples ?? [];
  }

  /** The truth about all services, as of now. */
  processes(): AppProcess[] {
    return this.#table.look(performance.now());
  }

  #look(now: number): void {
    const processes = this.#table.look(now);
    for (const truth of this.#services.values()) {
      this.#meet(
        truth,
        processes.filter(({ service }) => service === truth.service.name),
        now,
      );
      truth.route?.look(now);
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
      const question = { host: 'app', service: service.name, patienceMs: patienceMs(service) };
      const asked =
        instances.get(key)?.asked ??
        (port === null ? null : new Asker(() => ask({ ...question, port }), ASK_MS));
      asked?.look(now);
      next.set(key, { process, asked });
    }
    const current = this.#currentOf(service.name);
    for (const [key, { process }] of instances)
      if (!next.has(key) && current.includes(process.revision)) truth.exits.push(now);
    truth.exits = truth.exits.filter((at) => at > now - MEMORY_MS);
    truth.instances = next;
  }
}

function sampleOf({ service, instances, exits, route }: ServiceTruth, at: number): TruthSample {
  const answering: Record<number, number> = {};
  for (const { process, asked } of instances.values()) {
    const { revision, isRunnable } = process;
    const isAnswering = isRunnable && (asked === null || asked.answer === revision);
    if (isAnswering) answering[revision] = (answering[revision] ?? 0) + 1;
  }
  return {
    at,
    answering,
    routed: route === null ? 'portless' : route.answer,
    alive: instances.size,
    exits: exits.length,
    isCrashLoop: service.kind === 'crash' && exits.length >= CRASH_LOOP_EXITS,
  };
}
