import { performance } from 'node:perf_hooks';
import type { InstanceOutput } from '../port.ts';
import type { FencedStamp } from '../stamp.ts';
import type { InstancePort, OutputSource } from './instance-port.ts';
import type { InstanceRecord } from './record.ts';

/** An instance with its service. */
interface Writer {
  readonly service: string;
  readonly record: InstanceRecord;
  /** The attempt it writes for, if that is not the one that started it. */
  readonly stamp?: FencedStamp;
}

/** The longest wait for the last lines of an instance that is gone: what escaped from it may hold its output open. */
const LAST_LINES_MS = 5_000;

/** The output of instances; of those that are gone too, until all of it was taken. */
export class Outputs {
  readonly #port: Pick<InstancePort<unknown>, 'output' | 'forget'>;
  readonly #sources = new Map<string, OutputSource>();
  readonly #leaving = new Map<string, Writer & { readonly since: number }>();

  constructor(port: Pick<InstancePort<unknown>, 'output' | 'forget'>) {
    this.#port = port;
  }

  /** The instance writes no more. */
  gone(instance: Writer): void {
    this.#leaving.set(instance.record.uid, { ...instance, since: performance.now() });
  }

  of(running: readonly Writer[]): readonly InstanceOutput[] {
    return [...running, ...this.#leaving.values()].map((instance) => this.#output(instance));
  }

  #output({ service, record, stamp = record.stamp }: Writer): InstanceOutput {
    const { uid } = record;
    const source = this.#sources.get(uid) ?? this.#port.output(uid);
    this.#sources.set(uid, source);
    const isGone = () => this.#leaving.has(uid);
    const isOver = () => {
      const { since } = this.#leaving.get(uid) ?? { since: Number.POSITIVE_INFINITY };
      return source.isComplete || performance.now() - since > LAST_LINES_MS;
    };
    return {
      service,
      stamp,
      instance: record.name,
      read: async (maxLines) => {
        // Looked at before the lines are read: after it no line is added.
        const isLast = isGone() && isOver();
        const lines = await source.read(maxLines, isGone() || record.process === null);
        if (lines.length === 0 && isLast) {
          this.#leaving.delete(uid);
          this.#sources.delete(uid);
          await this.#port.forget(uid);
        }
        return lines;
      },
      taken: (lines) => source.taken(lines),
    };
  }
}
