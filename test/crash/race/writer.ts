import { commandId } from '../../../src/contract/command-id.ts';
import { type Host, sharingHost } from '../../../src/evidence/door/host.ts';
import { submit } from '../../../src/evidence/submit/submit.ts';
import { deploy } from '../../../src/intent/deploy.ts';
import { DEFAULT_SETTINGS } from '../../../src/projection/facts.ts';
import { granted, SOURCE } from '../../verbs/names.ts';
import { openStore, type StoreLocation } from '../open-store.ts';
import { printLine } from '../print-line.ts';

/** A process with a store of its own that writes its numbers up to `to`, and prints each answer before the next write. */
export interface Write {
  readonly do: 'write';
  readonly at: StoreLocation;
  readonly writer: string;
  /** The first number without an answer: a killed writer repeats it under the same name. */
  readonly from: number;
  readonly to: number;
  /** The process is killed after this many printed lines. */
  readonly lines: number;
}

/** The answer to a caller's n-th write. */
export type WriteAnswer =
  | {
      readonly writer: string;
      readonly n: number;
      readonly org: string;
      readonly wrote: 'intent';
      readonly service: string;
      readonly revision: number;
    }
  | {
      readonly writer: string;
      readonly n: number;
      readonly org: string;
      readonly wrote: 'evidence';
      readonly position: string;
    };

export const SHARED = 'shared';

export async function write({ at, writer, from, to }: Write): Promise<void> {
  const store = await openStore(at);
  const host = sharingHost(store, DEFAULT_SETTINGS);
  for (let n = from; n <= to; n++) printLine(await writeNumber(host, writer, n));
}

/** Most writes go into one org, where they race; some into the writer's own. Every third is rejected and raises an alarm. */
export async function writeNumber(host: Host, writer: string, n: number): Promise<WriteAnswer> {
  const org = n % 4 === 3 ? `own-${writer}` : SHARED;
  const service = `s${n % 5}@lab`;
  const caller = { org, instance: writer, target: '*', service: '*', name: writer } as const;
  const name = `${writer}-${n}`;
  if (n % 3 === 0) {
    const command = commandId(service, 1, 1, 'build');
    const body = { step: 1, message: '' };
    const item = {
      id: name,
      kind: 'build.progress',
      service,
      revision: 1,
      attempt: 1,
      command,
      fence: '99',
      body,
    };
    const [result] = await submit(host, { ...caller, role: 'builder' }, [item]);
    return { writer, n, org, wrote: 'evidence', position: result?.position ?? '' };
  }
  const key = { key: name, fingerprint: name };
  const acted = granted(
    await deploy(host, { ...caller, role: 'deployer' }, { service, origin: SOURCE }, key),
  );
  return { writer, n, org, wrote: 'intent', service, revision: acted.revision };
}
