import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { WrongBytes } from '../client/artifacts.ts';
import { type Client, ProblemAnswer } from '../client/client.ts';
import { beatTogether, type SendBeat } from '../client/heartbeats.ts';
import { type AcquiredLease, acquireLeases, LeaseKeeper } from '../client/lease.ts';
import { evidence, Outbox } from '../client/outbox.ts';
import { backOffMs, isTransient, type OutageLog, persist } from '../client/persist.ts';
import type { Spec, Stamp } from '../contract/intent.ts';
import type { ApplyResult, Runtime } from '../runtime/port.ts';
import { isStaleEpoch, type Registration } from './registration.ts';

interface Input {
  readonly artifact?: string | null;
  readonly spec: Spec;
  readonly accepts?: readonly Stamp[];
}

interface CommandsOptions {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly registration: Registration;
  readonly target: string;
  readonly agent: string;
  readonly signal: AbortSignal;
  readonly outages: OutageLog;
  readonly say: (line: string) => void;
  /** Reports a service after something was applied to it; resolves when that was reported. */
  readonly reportApplied: (service: string) => Promise<void>;
  /** Reports that a service was removed. */
  readonly reportRemoved: () => void;
}

const WAIT_MS = 20_000;
/** The number of services that are worked on at once. */
const AT_ONCE = 8;

/**
 * Acquires leases of apply and remove commands and carries them out: services side by side, each in the order
 * of its commands. The runtime is not touched before a lease is acknowledged, and no more once it has ended
 * (F30, S4).
 */
export class Commands {
  readonly #options: CommandsOptions;
  readonly #beat: SendBeat;
  readonly #turns = new Map<string, Promise<void>>();
  readonly #active = new Set<Promise<void>>();
  readonly #released: Promise<void>[] = [];

  constructor(options: CommandsOptions) {
    this.#options = options;
    this.#beat = beatTogether(options.client);
  }

  async run(): Promise<void> {
    const { signal, outages, registration } = this.#options;
    for (let failures = 0; !signal.aborted; ) {
      const { epoch, instance } = await registration.current();
      try {
        await this.#next(instance);
        outages.passed();
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        if (isStaleEpoch(error)) await registration.renew(epoch);
        else if (!isTransient(error)) throw error;
        else {
          outages.failed(error);
          await wait(backOffMs(failures++), undefined, { signal }).catch(() => {});
        }
      }
    }
    // Work in progress is not waited for: the next agent finds its orders on record, and goes on.
    await Promise.all(this.#released);
  }

  async #next(instance: string): Promise<void> {
    const { client, target, agent, signal } = this.#options;
    if (this.#active.size >= AT_ONCE) await Promise.race(this.#active);
    const max = AT_ONCE - this.#active.size;
    const request = { kinds: ['apply', 'remove'] as const, target, worker: agent, instance, max };
    const leases = await acquireLeases<Input>(client, request, { waitMs: WAIT_MS, signal });
    // Acknowledged before the next are acquired: until then the server offers the same again.
    await Promise.all(leases.map((lease) => this.#begin(lease)));
  }

  async #begin(lease: AcquiredLease<Input>): Promise<void> {
    const { client, outages } = this.#options;
    const held = await LeaseKeeper.take(client, lease, outages, this.#beat);
    if (held === null) return;
    const { service } = lease;
    const before = this.#turns.get(service) ?? Promise.resolve();
    const work = before.then(() => this.#carryOut(held)).finally(() => held.close());
    const done = work.catch((error: unknown) => this.#failed(lease, error));
    this.#turns.set(service, done);
    this.#active.add(done);
    void done.finally(() => this.#active.delete(done));
  }

  async #carryOut(held: LeaseKeeper<Input>): Promise<void> {
    const { client, outages, signal, say } = this.#options;
    const { lease } = held;
    const outbox = new Outbox(client, held.speak, outages);
    const giveBack = () => this.#released.push(held.release('the agent stops'));
    signal.addEventListener('abort', giveBack, { once: true });
    try {
      if (!held.isOurs) return;
      if (lease.kind === 'remove') await this.#remove(held, outbox);
      else await this.#apply(held, outbox);
    } catch (error) {
      if (held.why === 'cancel_requested') await outbox.send(evidence(lease, 'cancel.acknowledged', {}));
      else if (held.work.aborted || signal.aborted)
        say(`${commandText(lease)}: stopped, ${held.why ?? 'the agent stops'}`);
      else throw error;
    } finally {
      signal.removeEventListener('abort', giveBack);
    }
  }

  async #apply(held: LeaseKeeper<Input>, outbox: Outbox): Promise<void> {
    const { runtime, outages, reportApplied, say } = this.#options;
    const { lease } = held;
    const { artifact, spec, accepts = [] } = lease.input;
    const { service, revision, attempt, fence } = lease;
    const order = { service, stamp: { revision, attempt, fence }, artifact: artifact ?? '', spec, accepts };
    const answer = await persist(() => runtime.apply(order, held.work), held.work, outages).catch(
      (error: unknown) => {
        held.work.throwIfAborted();
        return failure(error);
      },
    );
    if (answer.kind === 'applied') {
      say(`${commandText(lease)}: applied (fence ${fence})`);
      // Reported before the evidence is sent: the claim that follows then shows instances, and not that there are none.
      await reportApplied(service);
      const { objects, artifact: digest } = answer;
      const body = { objects, ...(digest !== undefined && { artifact: digest }) };
      await outbox.send(evidence(lease, 'runtime.applied', body));
    } else {
      const { code, message, retrySafe, holder } = answer;
      say(`${commandText(lease)}: not applied (${code}). ${message}`);
      const body = { code, message, retrySafe, ...(holder !== undefined && { holder }) };
      await outbox.send(evidence(lease, 'runtime.apply_failed', body));
    }
    void reportApplied(service);
  }

  async #remove(held: LeaseKeeper<Input>, outbox: Outbox): Promise<void> {
    const { runtime, reportRemoved, say } = this.#options;
    const { lease } = held;
    const { service, revision, attempt, fence } = lease;
    const { contained } = await runtime.remove(service, { revision, attempt, fence }, held.work);
    held.work.throwIfAborted();
    say(`${commandText(lease)}: removed (fence ${fence})`);
    await outbox.send(evidence(lease, 'runtime.removed', contained ? {} : { contained }));
    reportRemoved();
  }

  /** A defect, or evidence that was refused. The lease lapses, and its next holder finds what was done. */
  #failed(lease: AcquiredLease<Input>, error: unknown): void {
    const correlation = randomUUID().slice(0, 8);
    this.#options.say(
      `${commandText(lease)}: could not be finished (${correlation}). ${(error as Error).message}`,
    );
  }
}

const commandText = ({ service, revision, attempt, kind }: AcquiredLease) =>
  `${service} r${revision} attempt ${attempt} ${kind}`;

/** The evidence of an order that could not be carried out. */
function failure(error: unknown): ApplyResult {
  const { code, message } = error as { code?: unknown; message: string };
  if (error instanceof ProblemAnswer && error.status === 404)
    return refusal('artifact_missing', 'The server does not hold the bytes of this artifact.', false);
  if (error instanceof WrongBytes) return refusal('digest_mismatch', message, true);
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return refusal('no_space', 'There is no room left on the disk of this machine.', true);
  return refusal('apply_error', message, true);
}

const refusal = (code: string, message: string, retrySafe: boolean): ApplyResult => ({
  kind: 'refused',
  code,
  message,
  retrySafe,
});
