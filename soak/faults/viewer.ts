import { setMaxListeners } from 'node:events';
import { Client } from '../../src/client/client.ts';
import { People } from '../../src/client/people.ts';
import { STATES } from '../../src/contract/vocabulary.ts';
import type { SoakFleet } from '../fleet/fleet.ts';
import type { FaultContext } from './fault.ts';

const ORG = 'neighbours';
const SERVICES = 600;
const RECORD_AT_ONCE = 8;
const LISTS_AT_ONCE = 64;
const LONGEST_MS = 12_000;
const TIMEOUT_MS = 10_000;

/** The viewer's token of each fleet's other org, which is made when it is first needed. */
const viewers = new WeakMap<SoakFleet, Promise<string>>();

/** Hundreds of services of another org, on a target that nobody serves. */
async function recordNeighbours({ servers: [first] }: SoakFleet): Promise<string> {
  if (first === undefined) throw new Error('a fleet has a server');
  const administrator = new People(first.client);
  const { token } = await administrator.createToken({ role: 'admin', org: ORG });
  const people = new People(new Client(first.client.server, token));
  for (let n = 0; n < SERVICES; n += RECORD_AT_ONCE)
    await Promise.all(
      Array.from({ length: RECORD_AT_ONCE }, (_, k) =>
        people.deployNamed(`n-${n + k}@elsewhere`, { image: 'registry.example/app:1' }, {}, null),
      ),
    );
  return (await administrator.createToken({ role: 'viewer', org: ORG })).token;
}

/** Lists by every state, many at once, and leaves before some are answered (F125). Our org's claims must not lag. */
export async function listInNumbers({ fleet, rng, wait, lastsMs }: FaultContext): Promise<void> {
  const made = viewers.get(fleet) ?? recordNeighbours(fleet);
  viewers.set(fleet, made);
  made.catch(() => viewers.delete(fleet));
  const client = new Client(rng.pick(fleet.servers).client.server, await made);
  const leave = new AbortController();
  setMaxListeners(0, leave.signal);
  const list = async (n: number) => {
    for (let k = n; !leave.signal.aborted; k++) {
      const path = `/v1/services?limit=200&state=${STATES[k % STATES.length]}`;
      await client
        .call('GET', path, undefined, { signal: leave.signal, timeoutMs: TIMEOUT_MS })
        // A refusal for too many requests is an answer too; nobody repeats it without a pause.
        .catch(() => wait(100));
    }
  };
  const lists = Array.from({ length: LISTS_AT_ONCE }, (_, n) => list(n));
  await wait(Math.min(LONGEST_MS, lastsMs));
  leave.abort();
  await Promise.all(lists);
}
