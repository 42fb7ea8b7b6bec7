import { compareDigits, DIGITS } from '../../contract/digits.ts';
import { type Caller, covers } from '../../evidence/door/caller.ts';
import type { Host } from '../../evidence/door/host.ts';
import { illegibleIn } from '../../evidence/door/row-integrity.ts';
import { isSound } from '../../evidence/report/sound-scope.ts';
import { rfc3339, rfc3339OrNull } from '../../projection/instant.ts';
import { isReadable } from '../../store/columns.ts';
import type { ReadTx } from '../../store/port.ts';
import type { AgentRow, RegistrationRow, ScopeRow, SpanRow } from '../../store/schema.ts';
import { legible } from './row-integrity.ts';
import { countServices } from './targets.ts';

/** An agent's id names its target and its process. */
const idOf = (target: string, instance: string) => `${target}.${instance}`;

/** Lists the current agent of each target, and those that were fenced. */
export function agentsOf(host: Host, caller: Caller) {
  const { org } = caller;
  return host.store.read(async (tx) => {
    const now = await tx.now();
    const agents = await tx.select('agents', { org }, { order: 'target' });
    const scopes = (await tx.select('scopes', { org })).filter((row) => isReadable(row) && isSound(row, now));
    const registrations = await tx.select('registrations', { org });
    const before = new Map<string, Registered>();
    for (const row of registrations.filter(isReadable))
      before.set(idOf(row.target, row.instance), await registered(tx, row));
    const maySee = await sightOf(tx, caller);
    const { freshForMs } = host.settings;
    const all = agents
      .filter(({ target }) => maySee(target))
      .flatMap((agent): (AgentRow | RegistrationRow)[] => [
        agent,
        ...registrations
          .filter(({ target, instance }) => target === agent.target && instance !== agent.instance)
          .sort((a, b) => compareDigits(b.epoch, a.epoch)),
      ]);
    return legible(
      all,
      (row) => idOf(row.target, row.instance),
      (row) =>
        'seenAt' in row
          ? alive(
              row,
              scopes.filter(({ target }) => target === row.target),
              now,
              freshForMs,
            )
          : fenced(row, before.get(idOf(row.target, row.instance)) ?? null),
    );
  });
}

/** The targets whose agents a caller sees: those inside its binding and, where that names services, those that have one. */
async function sightOf(tx: ReadTx, caller: Caller): Promise<(target: string) => boolean> {
  const services = caller.service === '*' ? null : await countServices(tx, caller);
  return (target) => covers(caller.target, target) && (services === null || services.has(target));
}

function alive(agent: AgentRow, scopes: readonly ScopeRow[], now: number, freshForMs: number) {
  const own = scopes.filter(({ epoch }) => epoch === agent.epoch);
  const asOf = own.length === 0 ? null : everSeen(Math.min(...own.map((scope) => scope.asOf)));
  const received = own.length === 0 ? null : Math.max(...own.map((scope) => scope.receivedAt));
  return {
    id: idOf(agent.target, agent.instance),
    agent: agent.agent,
    target: agent.target,
    instance: agent.instance,
    epoch: agent.epoch,
    version: agent.version,
    identity: agent.identity,
    /** Heard of late; how fresh what it says is, `asOf` tells. */
    state: received !== null && now < received + freshForMs ? 'alive' : 'stale',
    asOf: rfc3339OrNull(asOf),
    watchAgeMs: asOf === null || received === null ? null : Math.max(0, received - asOf),
    /** The agent's own clock, as its last report had it. */
    skewMs: agent.skewMs,
    forbidden: own.filter(({ unavailable }) => unavailable === 'forbidden').map(({ scope }) => scope),
    scopes: own.map((scope) => ({
      scope: scope.scope,
      asOf: rfc3339OrNull(everSeen(scope.asOf)),
      unavailable: scope.unavailable,
    })),
    registeredAt: rfc3339(agent.registeredAt),
    seenAt: rfc3339(agent.seenAt),
  };
}

/** A scope of which no report could read anything yet is as of no instant. */
const everSeen = (asOf: number) => (asOf === 0 ? null : asOf);

type Registered = { readonly agent: string; readonly identity: string } | null;

/** As what it registered: that is in the ledger, where its registration is evidence. */
async function registered(tx: ReadTx, { org, evidence }: RegistrationRow): Promise<Registered> {
  const position = evidence.slice(1);
  const row = DIGITS.test(position) ? await tx.get('ledger', { org, position }) : undefined;
  if (row?.kind !== 'agent.heartbeat' || row.id !== evidence || illegibleIn(row) !== null) return null;
  return row.body as Registered;
}

function fenced(row: RegistrationRow, was: Registered) {
  return {
    id: idOf(row.target, row.instance),
    agent: was?.agent ?? null,
    target: row.target,
    instance: row.instance,
    epoch: row.epoch,
    version: null,
    identity: was?.identity ?? null,
    state: 'fenced',
    asOf: null,
    watchAgeMs: null,
    skewMs: null,
    forbidden: [],
    scopes: [],
    registeredAt: rfc3339(row.registeredAt),
    seenAt: null,
  };
}

/** When an agent was heard: the spans that are over, and the one that may still grow. Null: no such agent. */
export function spansOf(host: Host, caller: Caller, id: string) {
  const { org } = caller;
  return host.store.read(async (tx) => {
    const at = id.indexOf('.');
    const [target, instance] = [id.slice(0, at), id.slice(at + 1)];
    const registration = await tx.get('registrations', { org, target, instance });
    if (at < 0 || registration === undefined || !(await sightOf(tx, caller))(target)) return null;
    const { epoch } = registration;
    const scopes = await tx.select('scopes', { org, target });
    const open = scopes.filter((scope) => scope.epoch === epoch);
    const spans: SpanRow[] = [];
    for (const { scope } of scopes) {
      const over = await tx.select('spans', { org, subject: `scope/${target}/${scope}` }, { order: 'from' });
      spans.push(...over.filter((span) => span.epoch === epoch));
    }
    const over = spans.map((span) => ({ ...span, name: span.subject }));
    const growing = open.map(({ scope, spanFrom: from, asOf: until, firstSeq, seq: lastSeq }) => ({
      name: `scope/${target}/${scope}`,
      from,
      until,
      firstSeq,
      lastSeq,
    }));
    return legible(
      [...over, ...growing],
      ({ name }) => name,
      ({ from, until, firstSeq, lastSeq }) => ({
        epoch,
        from: rfc3339(from),
        until: rfc3339(Math.max(from, until)),
        firstSeq,
        lastSeq,
      }),
    );
  });
}
