import { digestOf, tarOf } from '../lab/bytes.ts';
import type { Rng } from '../lab/rng.ts';
import { Client, ProblemAnswer } from '../src/client/client.ts';
import { People } from '../src/client/people.ts';
import type { ActionAnswer } from '../src/contract/answers/views.ts';
import { APP_SCRIPT, refOf, type SoakService, specOf } from './apps.ts';
import type { SoakFleet } from './fleet/fleet.ts';

type SoakAction = 'deploy' | 'deploy_source' | 'restart' | 'scale' | 'rollback' | 'teardown';

/** An action that a server has accepted: from then on it must not get lost (S5). */
export interface AcknowledgedAction {
  readonly action: SoakAction;
  readonly service: string;
  readonly revision: number;
  readonly attempt: number;
  /** The faults during which it was acknowledged. */
  readonly during: readonly string[];
}

/** Everything about an action that the seed chooses, whether or not it can be sent just then. */
interface DrawnAction {
  readonly service: SoakService;
  readonly action: SoakAction;
  readonly server: number;
  readonly replicas: number;
}

const WEIGHTS: Readonly<Record<SoakAction, number>> = {
  ...{ deploy: 3, deploy_source: 2, restart: 3, scale: 3, rollback: 2, teardown: 1 },
};
const PAUSE_MS = { least: 1_500, most: 5_000 };
const IN_HAND = 6;
const RECORDED: ReadonlySet<string> = new Set(['intent.recorded', 'teardown.requested']);

interface ActionParts {
  readonly fleet: SoakFleet;
  readonly rng: Rng;
  readonly services: readonly SoakService[];
  readonly run: string;
  readonly endsAt: number;
  readonly faultsNow: () => readonly string[];
}

/** Requests actions of the busy services, one after the other, of whichever server, whatever goes on meanwhile. */
export class Actions {
  readonly acknowledged: AcknowledgedAction[] = [];
  refused = 0;
  /** No answer came: nothing was promised. */
  unanswered = 0;
  readonly #fleet: SoakFleet;
  readonly #people: readonly People[];
  readonly #rng: Rng;
  readonly #busy: readonly SoakService[];
  readonly #run: string;
  readonly #endsAt: number;
  readonly #faultsNow: () => readonly string[];
  readonly #tornDown = new Set<string>();
  #artifact = '';
  #sources = 0;
  #inHand = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ fleet, rng, services, run, endsAt, faultsNow }: ActionParts) {
    this.#fleet = fleet;
    this.#faultsNow = faultsNow;
    this.#people = fleet.servers.map(({ client }) => new People(client));
    this.#rng = rng;
    this.#busy = services.filter(({ isBusy }) => isBusy);
    this.#run = run;
    this.#endsAt = endsAt;
  }

  /** Deploys every service once. */
  async deployAll(services: readonly SoakService[]): Promise<void> {
    const bytes = await tarOf({ 'app.js': APP_SCRIPT });
    this.#artifact = digestOf(bytes);
    const builder = new Client(this.#server.client.server, this.#fleet.builderToken);
    await builder.upload('PUT', `/v1/artifacts/${this.#artifact}`, once(bytes));
    for (const service of services) await this.request(service, 'deploy');
  }

  start(): void {
    const { least, most } = PAUSE_MS;
    this.#timer = setTimeout(
      () => {
        const drawn = this.#draw();
        if (this.#inHand < IN_HAND) void this.#carryOut(drawn);
        this.start();
      },
      this.#rng.int(least, most),
    );
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Asks the first server, or another if it is away: a fault needs its preparation done. */
  async request(service: SoakService, action: 'deploy' | 'teardown'): Promise<void> {
    for (const server of this.#people.keys())
      if (await this.#carryOut({ service, action, server, replicas: 1 })) return;
  }

  /** Looks for each acknowledged action in the ledger. */
  async lost(): Promise<AcknowledgedAction[]> {
    const people = new People(this.#server.client);
    const found = new Set<string>();
    for (const service of new Set(this.acknowledged.map((action) => action.service)))
      for (const { kind, revision, attempt, verdict } of await people.evidence(service, null))
        if (verdict === 'admitted' && RECORDED.has(kind)) found.add(`${service} ${revision} ${attempt}`);
    return this.acknowledged.filter((a) => !found.has(`${a.service} ${a.revision} ${a.attempt}`));
  }

  get #server() {
    const [first] = this.#fleet.servers;
    if (first === undefined) throw new Error('a fleet has a server');
    return first;
  }

  #draw(): DrawnAction {
    const service = this.#rng.pick(this.#busy);
    const drawn = this.#rng.weighted(WEIGHTS);
    const isAgain = this.#tornDown.delete(service.name);
    const action = isAgain ? 'deploy' : drawn;
    if (action === 'teardown') this.#tornDown.add(service.name);
    return {
      ...{ service, action },
      server: this.#rng.int(0, this.#people.length - 1),
      replicas: this.#rng.int(0, 3),
    };
  }

  /** True if it was acknowledged. */
  async #carryOut(drawn: DrawnAction): Promise<boolean> {
    this.#inHand++;
    try {
      const { revision, attempt } = await this.#send(drawn);
      const { action, service } = drawn;
      this.acknowledged.push({
        ...{ action, service: refOf(service), revision, attempt, during: this.#faultsNow() },
      });
      return true;
    } catch (error) {
      if (error instanceof ProblemAnswer && error.status < 500) this.refused++;
      else this.unanswered++;
      return false;
    } finally {
      this.#inHand--;
    }
  }

  async #send({ service, action, server, replicas }: DrawnAction): Promise<ActionAnswer> {
    const people = this.#people[server];
    if (people === undefined) throw new Error('a fleet has a server');
    const ref = refOf(service);
    const spec = specOf(service, this.#run, this.#endsAt);
    switch (action) {
      case 'deploy':
        return people.deployNamed(ref, { artifact: this.#artifact }, { spec }, null);
      case 'deploy_source': {
        const form = new FormData();
        form.set('spec', JSON.stringify(spec));
        const files = { 'app.js': APP_SCRIPT, version: String(this.#sources++) };
        form.set('source', new Blob([await tarOf(files)]), 'source.tar');
        const packed = new Response(form);
        const type = packed.headers.get('content-type') ?? '';
        const bytes = new Uint8Array(await packed.arrayBuffer());
        return people.deploySource(ref, () => ({ type, bytes: once(bytes) }));
      }
      case 'restart':
        return people.restart(ref);
      case 'scale':
        return people.scale(ref, replicas);
      case 'rollback':
        return people.rollback(ref, null);
      case 'teardown':
        return people.teardown(ref, null);
    }
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
