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
}

const WEIGHTS: Readonly<Record<SoakAction, number>> = {
  ...{ deploy: 3, deploy_source: 2, restart: 3, scale: 3, rollback: 2, teardown: 1 },
};
const PAUSE_MS = { least: 1_500, most: 5_000 };
const IN_HAND = 6;
const RECORDED: ReadonlySet<string> = new Set(['intent.recorded', 'teardown.requested']);

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
  readonly #tornDown = new Set<string>();
  #artifact = '';
  #sources = 0;
  #inHand = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(fleet: SoakFleet, rng: Rng, services: readonly SoakService[], run: string, endsAt: number) {
    this.#fleet = fleet;
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
        if (this.#inHand < IN_HAND) void this.#next();
        this.start();
      },
      this.#rng.int(least, most),
    );
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async request(service: SoakService, action: SoakAction): Promise<void> {
    this.#inHand++;
    try {
      const { revision, attempt } = await this.#send(service, action);
      this.acknowledged.push({ action, service: refOf(service), revision, attempt });
    } catch (error) {
      if (error instanceof ProblemAnswer && error.status < 500) this.refused++;
      else this.unanswered++;
    } finally {
      this.#inHand--;
    }
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

  #next(): Promise<void> {
    const service = this.#rng.pick(this.#busy);
    const action = this.#rng.weighted(WEIGHTS);
    const isAgain = this.#tornDown.delete(service.name);
    const chosen = isAgain ? 'deploy' : action;
    if (chosen === 'teardown') this.#tornDown.add(service.name);
    return this.request(service, chosen);
  }

  async #send(service: SoakService, action: SoakAction): Promise<ActionAnswer> {
    const people = this.#rng.pick(this.#people);
    const ref = refOf(service);
    const spec = specOf(service, this.#run, this.#endsAt);
    switch (action) {
      case 'deploy':
        return people.deployNamed(ref, { artifact: this.#artifact }, spec, null);
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
        return people.scale(ref, this.#rng.int(0, 3));
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
