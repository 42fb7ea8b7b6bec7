import type { Output } from '../port.ts';
import { OutputFile } from '../process/output-file.ts';
import type { FencedStamp } from '../stamp.ts';
import type { InstanceRecord } from './record.ts';

/** An instance with the service it belongs to. */
export interface OfService {
  readonly service: string;
  readonly record: InstanceRecord;
  /** For what it writes, if not for the one that started it. */
  readonly stamp?: FencedStamp;
}

/** What instances write, also that of those which have ended: until all of it was taken. */
export class Outputs {
  readonly #home: (uid: string) => string;
  readonly #files = new Map<string, OutputFile>();
  readonly #leaving = new Map<string, OfService>();

  constructor(home: (uid: string) => string) {
    this.#home = home;
  }

  /** It writes no more. */
  gone(instance: OfService): void {
    this.#leaving.set(instance.record.uid, instance);
  }

  of(running: readonly OfService[]): readonly Output[] {
    return [...running, ...this.#leaving.values()].map((instance) => this.#output(instance));
  }

  #output({ service, record, stamp = record.stamp }: OfService): Output {
    const { uid } = record;
    const file = this.#files.get(uid) ?? new OutputFile(this.#home(uid));
    this.#files.set(uid, file);
    const isGone = () => this.#leaving.has(uid);
    return {
      service,
      stamp,
      instance: record.name,
      read: async (maxLines) => {
        const lines = await file.read(maxLines, isGone() || record.process === null);
        if (lines.length === 0 && isGone()) {
          this.#leaving.delete(uid);
          this.#files.delete(uid);
          await file.remove();
        }
        return lines;
      },
      taken: (lines) => file.taken(lines),
    };
  }
}
