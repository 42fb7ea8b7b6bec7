import type { Claim } from '../src/contract/claim.ts';
import type { ObservedBody } from '../src/contract/evidence.ts';
import type { AlarmRow, AnyLedgerRow, RevisionRow, TransitionRow } from '../src/store/schema.ts';
import type { FaultCounts, Rates } from './faults.ts';
import type { Violation } from './oracle-port.ts';
import type { Sim } from './sim.ts';
import { isUp, type TruthInstance, type TruthMoment } from './world.ts';

/** Longer bodies of evidence are cut: a report of several instances would fill the screen. */
const BODY_LENGTH = 160;

/** The words of a trace that say more than they seem to. docs/simulator.md explains the lines one by one. */
export const LEGEND = [
  "words       e26 is position 26 of an org's ledger. Evidence, CLAIM and ALARM lines share the positions",
  '            r2 a1 is the first attempt at revision 2; u3 is an instance that really runs; fence 4 is the 4th lease',
  '            web1@lab.r2.a1.apply.1.4 is a lease: service, revision, attempt, kind, ordinal of the command, fence',
  '            arrives: a server works on the request; is answered: the caller has the answer; 503: it may repeat it',
  '            takes: acknowledges an offer, only then is the lease its own; says: submits evidence',
  "            reports full, change or heartbeat 7: an agent's 7th report; watches: it waits for the next",
  '            wants: what a revision requests; world: what really runs, whatever anybody reports',
];

/** The universe that the seed rolled: who lives in it, how fast its clocks are, which faults strike and how often. */
export function universeLines(seed: number, steps: number, sim: Sim): string[] {
  const { settings, rates, servers, targets, services, world } = sim;
  const seconds = (ms: number) => `${ms / 1000} s`;
  const on = Object.entries(rates).filter(([, rate]) => rate > 0);
  const off = Object.keys(rates).filter((name) => rates[name as keyof Rates] === 0);
  return [
    `seed        ${seed}: ${steps} steps with faults, then faults stop and everything must come to rest`,
    `timings     observations are fresh for ${seconds(settings.freshForMs)}, leases last ${seconds(settings.leaseTtlMs)}, offers ${seconds(settings.offerMs)}, no beat for ${seconds(settings.blindAfterMs)} is blindness`,
    `servers     ${servers.map(({ name }) => name).join(', ')}${sim.sharesTransactions ? '; callers of a server share transactions' : ''}`,
    ...targets.map(({ org, name, scopes }) => {
      const parts = scopes.length > 1 ? `, reported in scopes ${scopes.join(' and ')}` : '';
      return `target      ${name} of ${org}${parts}`;
    }),
    ...services.map(({ org, service }) => {
      const notes = [
        sim.observed.has(service) && 'deployed by another tool, only observed',
        world.accompanied.has(service) && 'with containers beside',
        world.counting.has(service) && 'its runtime counts generations',
      ].filter(Boolean);
      return `service     ${service} of ${org}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
    }),
    `faults      ${on.map(([name, rate]) => `${name} ${+(100 * rate).toFixed(2)}%`).join(', ') || 'none'}`,
    `never       ${off.join(', ') || 'none is off'}`,
  ];
}

export function evidenceLine(row: AnyLedgerRow, { start, manyOrgs }: TraceOptions): string {
  const about = [
    row.service ?? row.target ?? 'platform',
    row.revision && `r${row.revision}`,
    row.attempt && `a${row.attempt}`,
  ];
  const under = row.fence === null ? '' : ` fence ${row.fence}`;
  const verdict = row.verdict === 'admitted' ? '' : `  REJECTED ${row.reason}`;
  return `${positioned('ledger', row, manyOrgs)}  ${row.kind}  ${about.filter(Boolean).join(' ')}${under}  by ${row.source.role}${verdict}${bodyText(row, start)}`;
}

/** The instant that a trace counts from, its evidence by number; with many orgs, positions carry their org's name. */
interface TraceOptions {
  readonly start: number;
  readonly manyOrgs: boolean;
  readonly evidence: EvidenceNames;
}

/** Names evidence by its position: workers and agents choose long ids, `e26` can be searched for in the trace. */
export class EvidenceNames {
  readonly #rows = new Map<string, AnyLedgerRow>();

  add(row: AnyLedgerRow): void {
    // A rejected row may repeat the id of an admitted one, and no claim cites it.
    if (row.verdict === 'admitted') this.#rows.set(`${row.org}|${row.id}`, row);
  }

  /** The number, or the id itself of what is not in the ledger. */
  nameOf(org: string, id: string): string {
    const row = this.#rows.get(`${org}|${id}`);
    return row === undefined ? id : `e${row.position}`;
  }

  withKind(org: string, id: string): string {
    const row = this.#rows.get(`${org}|${id}`);
    return row === undefined ? id : `e${row.position} ${row.kind}`;
  }
}

const positioned = (
  word: string,
  row: { readonly org: string; readonly position: string },
  manyOrgs: boolean,
) => `${word}${manyOrgs ? ` of ${row.org}` : ''} ${row.position}`;

function bodyText(row: AnyLedgerRow, start: number): string {
  if (row.verdict === 'admitted' && row.kind === 'runtime.observed') return observedText(row.body, start);
  const text = JSON.stringify(row.body, (_, value) => (isInstant(value) ? since(start, value) : value)) ?? '';
  if (text === '{}') return '';
  return `  ${text.length > BODY_LENGTH ? `${text.slice(0, BODY_LENGTH)}…` : text}`;
}

function observedText(body: unknown, start: number): string {
  const { asOf, complete, corrupt, scope, instances, entry } = body as ObservedBody;
  const parts = [
    `as of ${since(start, asOf)}`,
    ...(scope === '*' ? [] : [`scope ${scope}`]),
    complete ? 'complete' : 'incomplete',
    ...(corrupt ? ['UNREADABLE in part'] : []),
    instances.map((i) => `${i.uid} ${i.phase}${i.ready ? ' and ready' : ''}`).join(', ') || 'no instance',
    ...(entry?.route?.answers ? [`route r${entry.route.revision}`] : []),
  ];
  return `  ${parts.join('; ')}`;
}

/** Instants of a schedule are later than any other number in a body of evidence. */
const isInstant = (value: unknown): value is number => typeof value === 'number' && value > 1e12;
const since = (start: number, at: number) => `${((at - start) / 1000).toFixed(3)}s`;

/** The spec of a recorded revision, with its deadlines, which are rolled for each request. */
export function specLine({ service, revision, kind, spec }: RevisionRow): string {
  return `wants  ${service} r${revision}  ${kind} ${JSON.stringify(spec)}`;
}

export function transitionLine(row: TransitionRow, { manyOrgs, evidence }: TraceOptions): string {
  const { org, service, from, to, owner, revision, attempt, stage } = row;
  const at = to === 'failed' ? ` (${stage})` : '';
  const why = evidence.nameOf(org, row.evidence);
  return `${positioned('CLAIM', row, manyOrgs)}  ${service} r${revision} a${attempt}  ${from ?? 'nothing'} -> ${to}${at}  by ${owner}, because of ${why}`;
}

export function alarmLine(row: AlarmRow, { manyOrgs }: TraceOptions): string {
  return `${positioned('ALARM', row, manyOrgs)}  ${row.code}  ${row.service ?? 'platform'}`;
}

/** The truth about a service, whatever anybody reports. */
export function worldLine(service: string, moment: TruthMoment): string {
  return `world  ${service}  ${truthText(moment)}`;
}

function truthText({ instances, route, generation }: TruthMoment): string {
  const behind = generation !== null && generation.observed < generation.desired;
  return [
    instances.length === 0 ? 'nothing runs' : instances.map(instanceText).join(', '),
    route === null ? 'no route' : `route r${route.revision} a${route.attempt}`,
    ...(behind ? ['its controllers are behind'] : []),
  ].join('; ');
}

function instanceText(i: TruthInstance): string {
  const stamp = i.template ?? `r${i.revision} a${i.attempt}`;
  const why = i.reason === null ? '' : ` (${i.reason})`;
  return `${i.uid} ${stamp} ${i.phase}${isUp(i) ? ' and ready' : ''}${why}`;
}

/** The end of one service: the claim in words, its citations, and the truth beside it. */
export function endingLines(claim: Claim, truth: TruthMoment, named: (id: string) => string): string[] {
  const { service, state, desired, outcome, cause, message, proof, expecting, freshness, serving } = claim;
  const why = cause === null ? '' : `, because of ${cause.code}`;
  const awaits = expecting === null ? '' : `; awaits ${expecting.evidence} from ${expecting.from}`;
  const age = freshness.ageMs === null ? '' : `; as of ${freshness.ageMs / 1000} s ago`;
  return [
    `END    ${service}  ${state} at r${desired.revision} a${desired.attempt}, ${outcome}${why}`,
    `         says   ${message.title}. ${message.body}`.trimEnd(),
    `         cites  ${proof.evidence.map(named).join(', ') || 'nothing'}${awaits}${age}`,
    `         serves ${serving === null ? 'nothing that is proven' : `r${serving.revision} a${serving.attempt}`}`,
    `         truth  ${truthText(truth)}`,
  ];
}

export function struckLine(faults: FaultCounts): string {
  const struck = Object.entries(faults).filter(([, n]) => n > 0);
  return `struck      ${struck.map(([name, n]) => `${n} x ${name}`).join('; ') || 'no fault'}`;
}

export function violationLine(seed: number, { invariant, detail }: Violation): string {
  return `VIOLATION of ${invariant}, seed ${seed}: ${detail}`;
}
