import { commandId } from '../../../src/contract/command-id.ts';
import { type Host, sharingHost } from '../../../src/evidence/door/host.ts';
import { submit } from '../../../src/evidence/submit/submit.ts';
import { deploy } from '../../../src/intent/deploy.ts';
import { DEFAULT_SETTINGS } from '../../../src/projection/facts.ts';
import { granted, SOURCE } from '../../verbs/names.ts';
import { openAt, type Place } from '../place.ts';
import { say } from '../say.ts';

/** A process with a store of its own that writes its numbers up to `to`, and says each answer before it goes on. */
export interface Write {
  readonly do: 'write';
  readonly at: Place;
  readonly writer: string;
  /** The first number it has no answer for: whoever died asks again under the same name. */
  readonly from: number;
  readonly to: number;
  /** It dies with so many lines said. */
  readonly lines: number;
}

/** What a caller was told of its n-th write. */
export type Told =
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
  const store = await openAt(at);
  const host = sharingHost(store, DEFAULT_SETTINGS);
  for (let n = from; n <= to; n++) say(await writeNumber(host, writer, n));
}

/** Most go into one org, where they race; some into the writer's own. Every third one is refused and raises an alarm. */
export async function writeNumber(host: Host, writer: string, n: number): Promise<Told> {
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
