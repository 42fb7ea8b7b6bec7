import { seesTarget } from '../../access/binding.ts';
import type { Caller } from '../../access/caller.ts';
import { compareDigits, DIGITS, ZERO } from '../../contract/digits.ts';
import { observationAnswer } from '../../contract/observation.ts';
import type { Host } from '../../evidence/door/host.ts';
import { intactLedgerRow } from '../../evidence/door/row-integrity.ts';
import { ruleIn } from '../../evidence/report/observation-rule.ts';
import { isSound } from '../../evidence/report/sound-scope.ts';
import { rfc3339, rfc3339OrNull } from '../../projection/instant.ts';
import { intact, isIntact, NAMELESS, pick, readable, type Stored } from '../../store/broken-row.ts';
import type { ReadTx } from '../../store/port.ts';
import type { AgentRow, RegistrationRow, ScopeRow, SpanRow } from '../../store/schema.ts';
import { listing } from './listing.ts';
import { countServices } from './targets.ts';

/** An agent's id names its target and its process. */
const idOf = (target = NAMELESS, instance = NAMELESS) => `${target}.${instance}`;

/** Lists the current agent of each target, and those that were fenced. */
export function agentsOf(host: Host, caller: Caller) {
  const { org } = caller;
  return host.store.read(async (tx) => {
    const now = await tx.now();
    const agents = await tx.select('agents', { org }, { order: 'target' });
    const declared = await tx.select('targets', { org });
    const ruleAt = (target: string) => ruleIn(declared.find((row) => readable(row).target === target));
    const scopes = (await tx.select('scopes', { org })).filter(isIntact).filter((row) => isSound(row, now));
    const registrations = await tx.select('registrations', { org });
    const before = new Map<string, RegisteredIdentity>();
    for (const row of registrations.filter(isIntact))
      before.set(idOf(row.target, row.instance), await registered(tx, row));
    const maySee = await sightOf(tx, caller);
    const { freshForMs } = host.settings;
    const all = agents
      .filter((agent) => maySee(readable(agent).target))
      .flatMap((agent): Stored<'agents' | 'registrations'>[] => [
        agent,
        ...registrations.filter((row) => isBefore(row, agent)).sort(byEpoch),
      ]);
    return listing(
      all,
      (row) => idOf(readable(row).target, readable(row).instance),
      (row) => {
        if (!isIntact(row)) return null;
        if (!('seenAt' in row)) return fenced(row, before.get(idOf(row.target, row.instance)) ?? null);
        const own = scopes.filter(({ target }) => target === row.target);
        return { ...alive(row, own, now, freshForMs), observation: observationAnswer(ruleAt(row.target)) };
      },
    );
  });
}

/** Another instance registered at the agent's target. */
function isBefore(row: Stored<'registrations'>, agent: Stored<'agents'>): boolean {
  const [{ target, instance }, current] = [readable(row), readable(agent)];
  return target === current.target && (instance === undefined || instance !== current.instance);
}

/** The newest first. An entry that cannot be read has no place in the order. */
const byEpoch = (a: Stored<'registrations'>, b: Stored<'registrations'>) =>
  compareDigits(readable(b).epoch ?? ZERO, readable(a).epoch ?? ZERO);

/** Agents are shown to callers that see their targets. */
async function sightOf(tx: ReadTx, caller: Caller): Promise<(target: string | undefined) => boolean> {
  const services = caller.service === '*' ? null : await countServices(tx, caller);
  return (target) => seesTarget(caller, target, (name) => services?.has(name) ?? false);
}

function alive(agent: AgentRow, scopes: readonly ScopeRow[], now: number, freshForMs: number) {
  // A report that proves nothing leaves the scope's observation to the epoch that made it, and is this agent's word.
  const own = scopes.filter(({ seqEpoch }) => seqEpoch === agent.epoch);
  // A scope that cannot be read is shown by itself, and makes what is seen of the others no older.
  const available = own.filter(({ unavailable, epoch }) => unavailable === null && epoch === agent.epoch);
  const seen = available.length === 0 ? own : available;
  const asOf = seen.length === 0 ? null : observedInstant(Math.min(...seen.map((scope) => scope.asOf)));
  const received = own.length === 0 ? null : Math.max(...own.map((scope) => scope.receivedAt));
  return {
    id: idOf(agent.target, agent.instance),
    agent: agent.agent,
    target: agent.target,
    instance: agent.instance,
    epoch: agent.epoch,
    version: agent.version,
    identity: agent.identity,
    /** Alive means recent contact; `asOf` says how fresh the observations are. */
    state: received !== null && now < received + freshForMs ? 'alive' : 'stale',
    asOf: rfc3339OrNull(asOf),
    watchAgeMs: asOf === null || received === null ? null : Math.max(0, received - asOf),
    /** The difference of the agent's clock in its last report. */
    skewMs: agent.skewMs,
    forbidden: own.filter(({ unavailable }) => unavailable === 'forbidden').map(({ scope }) => scope),
    scopes: own.map((scope) => ({
      scope: scope.scope,
      asOf: rfc3339OrNull(observedInstant(scope.asOf)),
      unavailable: scope.unavailable,
      stalled: now >= scope.asOf + freshForMs,
      denied: [...(scope.notes?.denied ?? [])],
      absent: scope.notes?.absent ?? false,
    })),
    registeredAt: rfc3339(agent.registeredAt),
    observeOnly: agent.observeOnly ?? false,
    seenAt: rfc3339(agent.seenAt),
  };
}

/** A scope that no report could read yet has no instant of observation. */
const observedInstant = (asOf: number) => (asOf === 0 ? null : asOf);

type RegisteredIdentity = { readonly agent: string; readonly identity: string } | null;

/** Reads the agent's name and identity from the evidence of its registration. */
async function registered(tx: ReadTx, { org, evidence }: RegistrationRow): Promise<RegisteredIdentity> {
  const position = evidence.slice(1);
  const row = DIGITS.test(position) ? intactLedgerRow(await tx.get('ledger', { org, position })) : undefined;
  return row?.kind === 'agent.heartbeat' && row.id === evidence ? (row.body as RegisteredIdentity) : null;
}

function fenced(row: RegistrationRow, was: RegisteredIdentity) {
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
    observation: null,
    observeOnly: false,
    registeredAt: rfc3339(row.registeredAt),
    seenAt: null,
  };
}

/** Lists the spans in which an agent was alive, the open one last. Null: no such agent. */
export function spansOf(host: Host, caller: Caller, id: string) {
  const { org } = caller;
  return host.store.read(async (tx) => {
    const at = id.indexOf('.');
    const [target, instance] = [id.slice(0, at), id.slice(at + 1)];
    const registration = await tx.get('registrations', { org, target, instance });
    if (at < 0 || registration === undefined || !(await sightOf(tx, caller))(target)) return null;
    const { epoch } = readable(registration);
    if (epoch === undefined) return { items: [] };
    const scopes = await tx.select('scopes', { org, target });
    const all: AgentSpan[] = [];
    for (const row of scopes) {
      const name = `scope/${target}/${readable(row).scope ?? NAMELESS}`;
      const over = await tx.select('spans', { org, subject: name }, { order: 'from' });
      for (const span of over) if (readable(span).epoch === epoch) all.push({ name, stretch: intact(span) });
    }
    for (const row of scopes) {
      if (readable(row).epoch !== epoch) continue;
      const growing = pick(row, 'spanFrom', 'asOf', 'firstSeq', 'seq');
      all.push({
        name: `scope/${target}/${readable(row).scope ?? NAMELESS}`,
        stretch: growing && {
          from: growing.spanFrom,
          until: growing.asOf,
          firstSeq: growing.firstSeq,
          lastSeq: growing.seq,
        },
      });
    }
    return listing(
      all,
      ({ name }) => name,
      ({ stretch }) => {
        if (stretch === undefined) return null;
        const { from, until, firstSeq, lastSeq } = stretch;
        return { epoch, from: rfc3339(from), until: rfc3339(Math.max(from, until)), firstSeq, lastSeq };
      },
    );
  });
}

/** A stretch in which an agent was alive, over or growing; undefined where it cannot be read. */
interface AgentSpan {
  readonly name: string;
  readonly stretch: Pick<SpanRow, 'from' | 'until' | 'firstSeq' | 'lastSeq'> | undefined;
}
