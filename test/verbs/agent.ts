import type { Caller } from '../../src/access/caller.ts';
import { register } from '../../src/evidence/report/register.ts';
import { report } from '../../src/evidence/report/report.ts';
import type { Platform } from './driver.ts';
import { DIGEST, granted, WEB } from './names.ts';
import { Taker } from './taker.ts';

export interface ReportOptions {
  readonly complete?: boolean;
  readonly scope?: string;
  readonly watchAgeMs?: number;
  readonly heard?: string;
  readonly heardAgoMs?: number;
  readonly unavailable?: 'forbidden' | 'runtime_unreachable';
  readonly seq?: string;
  readonly observation?: number;
  readonly denied?: readonly object[];
  readonly absent?: true;
  readonly uncovered?: readonly string[];
  readonly base?: string;
  readonly epoch?: string;
}

/** A ready instance of the first attempt of the first revision, with the fields of `changed`. */
export function instance(uid: string, changed: object = {}) {
  const ready = { phase: 'running', ready: true, restarts: 0, containers: [] };
  const stamp = { service: WEB, revision: 1, attempt: 1, fence: '1', artifact: DIGEST };
  return { uid, name: uid, ...stamp, ...ready, ...changed };
}

export function route(revision: number, attempt = 1, service = WEB) {
  return { service, route: { answers: true, revision, attempt } };
}

/** The agent of a target: acquires apply and remove, and reports what it observes. */
export class Agent extends Taker {
  epoch = '0';
  seq = 0;
  base = '0';

  constructor(lab: Platform, caller: Caller, instance: string, target: string) {
    super(lab, caller, ['apply', 'remove'], instance, target);
  }

  async register(identity = 'cluster-1'): Promise<this> {
    const registration = { agent: this.caller.name, instance: this.instance, version: '1', identity };
    const { epoch } = granted(await register(this.lab.host, this.caller, this.target ?? 'lab', registration));
    if (epoch !== this.epoch) this.seq = 0;
    this.epoch = epoch;
    return this;
  }

  /** Sends a full report, complete by default. */
  async sees(instances: readonly unknown[], services: readonly unknown[] = [], options: ReportOptions = {}) {
    const answer = await this.#send({ complete: true, instances, services, ...options });
    if (options.complete !== false) this.base = String(this.seq);
    return answer;
  }

  /** Sends a change of the last report. */
  async changes(
    changed: { instances?: readonly unknown[]; services?: readonly unknown[] },
    removed: { instances?: readonly string[]; services?: readonly string[] } = {},
    options: ReportOptions = {},
  ) {
    const answer = await this.#send({ base: this.base, changed, removed, ...options });
    if (!answer.resync) this.base = String(this.seq);
    return answer;
  }

  heartbeat = (options: ReportOptions = {}) => this.#send({ base: this.base, ...options });

  /** Advances the clock while the server sweeps and nothing changes: a heartbeat every `everyMs` and one at the end. */
  async watches(ms: number, everyMs = 5000): Promise<void> {
    for (let left = ms; left > 0; left -= everyMs) {
      await this.lab.tick(Math.min(everyMs, left));
      await this.heartbeat();
    }
  }

  async #send(body: object) {
    this.seq += 1;
    const input = { epoch: this.epoch, seq: String(this.seq), ...body };
    return granted(await report(this.lab.host, this.caller, this.target ?? 'lab', input));
  }
}
