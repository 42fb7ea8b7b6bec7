import type { Wire } from './wire.ts';

const TEMPLATE = 'f00d';
const IMAGE_OF_ALL = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

/** The instances and services of a target as its agent reports them: all of them run, one instance each. */
export function fleetReport(target: string, services: number): string {
  const names = Array.from({ length: services }, (_, i) => `s${i}@${target}`);
  const instances = names.map((service, i) => ({
    ...{
      uid: `u-${service}`,
      name: `s${i}-7d9f8c6b5-x${i}`,
      service,
      template: TEMPLATE,
      artifact: IMAGE_OF_ALL,
    },
    ...{ phase: 'running', ready: true, restarts: 0, node: `node-${i % 10}` },
    ...{ containers: [{ name: 'web', kind: 'main', ready: true, restarts: 0 }] },
    startedAt: '2026-11-14T14:02:00.000Z',
  }));
  const entries = names.map((service) => ({
    ...{ service, template: TEMPLATE, replicas: 1, generation: { desired: '1', observed: '1' } },
  }));
  return `"instances":${JSON.stringify(instances)},"services":${JSON.stringify(entries)}`;
}

/** An agent of one target, by the protocol alone. Its report is the same each time, and its text made once. */
export class FleetAgent {
  readonly #wire: Wire;
  readonly #target: string;
  readonly #instance: string;
  readonly #content: string;
  #epoch = '0';
  #seq = 0;

  constructor(wire: Wire, target: string, services: number, instance: string) {
    this.#wire = wire;
    this.#target = target;
    this.#instance = instance;
    this.#content = fleetReport(target, services);
  }

  async register(): Promise<void> {
    const body = { agent: this.#target, instance: this.#instance, version: '1', identity: this.#target };
    const { epoch } = await this.#post('registrations', JSON.stringify(body));
    this.#epoch = epoch;
  }

  /** Everything that runs. */
  async report(): Promise<void> {
    this.#seq += 1;
    const stamp = `"epoch":"${this.#epoch}","seq":"${this.#seq}","scope":"*","complete":true,"watchAgeMs":0`;
    const { rejected } = await this.#post('reports', `{${stamp},${this.#content}}`);
    if (rejected.length > 0) throw new Error(`${this.#target}: ${JSON.stringify(rejected[0])}`);
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of the protocol, read field by field
  async #post(what: string, body: string): Promise<any> {
    const path = `/v1/targets/${this.#target}/${what}`;
    const { status, text } = await this.#wire.post(path, body);
    if (status >= 300) throw new Error(`POST ${path}: ${status} ${text.slice(0, 300)}`);
    return JSON.parse(text);
  }
}
