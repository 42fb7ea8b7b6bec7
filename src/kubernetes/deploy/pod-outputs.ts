import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InstanceOutput } from '../../runtime/port.ts';
import type { FencedStamp } from '../../runtime/stamp.ts';
import { type LogApi, type OutputPosition, PodOutput } from './pod-output.ts';

/** A pod of a service that was deployed here, and the attempt that it belongs to. */
export interface WritingPod {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly service: string;
  readonly stamp: FencedStamp;
}

/**
 * The output of every pod that was deployed here; of those that are gone too, until all of it was taken. Remembers over a
 * restart of the agent how far it was taken.
 */
export class PodOutputs {
  readonly #api: LogApi;
  readonly #path: string | null;
  readonly #outputs = new Map<string, { pod: WritingPod; readonly output: PodOutput }>();
  readonly #before: ReadonlyMap<string, OutputPosition>;
  #written = '';

  /** @param dir null: nothing is remembered */
  constructor(api: LogApi, dir: string | null) {
    this.#api = api;
    this.#path = dir === null ? null : join(dir, 'outputs.json');
    this.#before = this.#path === null ? new Map() : positionsIn(this.#path);
  }

  of(pods: readonly WritingPod[]): readonly InstanceOutput[] {
    const there = new Set(pods.map(({ uid }) => uid));
    for (const pod of pods) {
      const known = this.#outputs.get(pod.uid);
      if (known !== undefined) known.pod = pod;
      else
        this.#outputs.set(pod.uid, {
          pod,
          output: new PodOutput(this.#api, pod, this.#before.get(pod.uid)),
        });
    }
    for (const [uid, { output }] of this.#outputs) {
      if (there.has(uid)) continue;
      output.gone();
      if (output.isOver) this.#outputs.delete(uid);
    }
    return [...this.#outputs.values()].map(({ pod, output }) => ({
      service: pod.service,
      stamp: pod.stamp,
      instance: pod.name,
      read: async (maxLines) => output.next(maxLines),
      taken: async (lines) => output.take(lines),
    }));
  }

  keep(): void {
    if (this.#path === null) return;
    const positions = [...this.#outputs].map(([uid, { output }]) => [uid, output.position]);
    const text = JSON.stringify(positions);
    if (text === this.#written || (positions.length === 0 && this.#written === '')) return;
    mkdirSync(join(this.#path, '..'), { recursive: true });
    writeFileSync(`${this.#path}.tmp`, text, { mode: 0o600 });
    renameSync(`${this.#path}.tmp`, this.#path);
    this.#written = text;
  }

  close(): void {
    this.keep();
    for (const { output } of this.#outputs.values()) output.end();
  }
}

/** A file that cannot be read is none: lines are then sent once more, from the first that the node has. */
function positionsIn(path: string): ReadonlyMap<string, OutputPosition> {
  try {
    const entries = JSON.parse(readFileSync(path, 'utf8')) as [string, OutputPosition][];
    return new Map(entries.filter(([, { seq, at }]) => Number.isSafeInteger(seq) && typeof at === 'string'));
  } catch {
    return new Map();
  }
}
