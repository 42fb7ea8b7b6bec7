import type {
  AgentView,
  CommandView,
  EvidenceView,
  ServiceItem,
  WorkerView,
} from '../../contract/answers/views.ts';
import { NOTHING_WAITS, ruleSentence, scopeTrouble } from '../../contract/presentation/fleet.ts';
import { ago } from '../../contract/presentation/times.ts';
import type { State } from '../../contract/vocabulary.ts';
import { type ContextOptions, inContext } from '../context.ts';
import { EXIT } from '../proof/exit-code.ts';
import type { Tone } from '../proof/line.ts';
import { markOf } from '../proof/proof-lines.ts';
import { type Cell, type TableStyle, table } from '../table.ts';
import { listedAgents, listedServices, listedWorkers, uncoveredNote } from './default-lists.ts';
import { printedInstant } from './instant.ts';

interface ServicesOptions extends ContextOptions {
  readonly state?: State;
  readonly target?: string;
  readonly all?: boolean;
}

export function runServices({ state, target, all, ...options }: ServicesOptions): Promise<void> {
  return inContext(options, null, async (context) => {
    const items = await context.people.services({
      ...(state && { state }),
      ...(target && { target }),
      ...(all && { hidden: 'true' as const }),
    });
    const listed = listedServices(items, all === true || state !== undefined);
    const hidden = items.length - listed.length;
    const isDefault = context.forPeople && !all && state === undefined;
    const left = isDefault
      ? await context.people.services({ state: 'unknown', hidden: 'true', ...(target && { target }) })
      : [];
    const uncovered = uncoveredNote(left);
    await context.print(items, (wide) =>
      items.length === 0
        ? (uncovered ??
          'No services yet. Deploy one: evident deploy. Or observe what other tools deploy: evident observe TARGET')
        : servicesTable(listed, wide, context.list(wide)),
    );
    if (uncovered !== null && items.length > 0) context.note(uncovered);
    if (context.forPeople && hidden > 0)
      context.note(
        `${hidden} that ${hidden === 1 ? 'was' : 'were'} torn down more than a day ago ${hidden === 1 ? 'is' : 'are'} not shown: --all`,
      );
    return EXIT.cameTrue;
  });
}

/** Each state stands beside the age of its evidence: without an age it is half a truth. */
function servicesTable(items: readonly ServiceItem[], wide: boolean, style: TableStyle): string {
  const head = ['SERVICE', 'STATE', 'DESIRED', 'SERVING', 'SEEN', 'MOVE'];
  return table(
    wide ? [...head, 'SINCE', 'CAUSE', 'ADDRESSES'] : head,
    items.map(({ ref, urls, claim }) => {
      const { state, desired, freshness, next, cause, now } = claim;
      const [mark, tone] = markOf(state);
      const row: Cell[] = [
        [ref, 'strong'],
        [`${mark} ${state}`, tone],
        `r${desired.revision}`,
        servingCell(claim),
        freshness.asOf === null ? '-' : ago(Date.parse(now) - Date.parse(freshness.asOf)),
        next.owner === 'none' ? '-' : next.owner,
      ];
      return wide ? [...row, printedInstant(claim.since), cause?.code ?? '-', urls.join(' ') || '-'] : row;
    }),
    style,
  );
}

/** A revision that only was seen serving has its age beside it: without one it would read as if it served. */
function servingCell({ serving, lastServing, nothingServes }: ServiceItem['claim']): string {
  if (serving !== null) return `r${serving.revision}`;
  if (nothingServes !== undefined) return 'nothing';
  return lastServing === null ? '-' : `r${lastServing.revision} ${ago(lastServing.ageMs)}`;
}

interface EvidenceOptions extends ContextOptions {
  readonly rejected?: boolean;
  readonly limit: number;
}

/**
 * `evident evidence`: all evidence about a service, the rejected with its reason; without a service all
 * rejected evidence of the org. The newest is last, as in the ledger.
 */
export function runEvidence(ref: string | undefined, options: EvidenceOptions): Promise<void> {
  return inContext(options, ref ?? null, async (context) => {
    const { people } = context;
    const all = await (ref === undefined
      ? people.rejected()
      : people.evidence(ref, options.rejected ? 'rejected' : null));
    const items = all.slice(-options.limit);
    await context.print(items, (wide) =>
      ref === undefined && items.length === 0
        ? 'Nothing was rejected.'
        : evidenceTable(items, wide, ref === undefined, context.list(wide)),
    );
    if (items.length < all.length)
      context.note(`${all.length - items.length} older ones are not shown: --limit`);
    return EXIT.cameTrue;
  });
}

function evidenceTable(
  items: readonly EvidenceView[],
  wide: boolean,
  ofAny: boolean,
  style: TableStyle,
): string {
  const head = ['POSITION', 'RECEIVED', 'KIND', 'ABOUT', 'FENCE', 'FROM', 'VERDICT'];
  return table(
    wide ? [...head, 'ID', 'BODY'] : head,
    items.map(
      ({
        id,
        position,
        receivedAt,
        kind,
        service,
        revision,
        attempt,
        fence,
        source,
        verdict,
        reason,
        body,
      }) => {
        const stamp = revision === null ? [] : [`r${revision}.${attempt ?? '-'}`];
        const about = [...(ofAny && service !== null ? [service] : []), ...stamp].join(' ') || '-';
        const row: Cell[] = [
          position,
          printedInstant(receivedAt),
          kind,
          about,
          fence ?? '-',
          `${source.role} ${source.name}`,
          verdict === 'rejected' ? [`rejected: ${reason}`, 'bad'] : [verdict, 'good'],
        ];
        return wide ? [...row, id, JSON.stringify(body)] : row;
      },
    ),
    style,
  );
}

/** An agent or worker that was before is no trouble; one that fell silent is. */
const PRESENCE: Readonly<Record<AgentView['state'] | WorkerView['state'], Tone>> = {
  ...{ alive: 'good', stale: 'doubt', fenced: 'quiet' },
  ...{ online: 'good', busy: 'busy', offline: 'quiet' },
};

interface AgentsOptions extends ContextOptions {
  readonly workers?: boolean;
  readonly all?: boolean;
}

/** Every restart leaves a registration that never reports again; these are listed only with `--all`. */
export function runAgents({ workers, all, ...options }: AgentsOptions): Promise<void> {
  return inContext(options, null, async (context) => {
    const noteHidden = (hidden: number) => {
      if (context.forPeople && hidden > 0)
        context.note(`${hidden} of earlier starts ${hidden === 1 ? 'is' : 'are'} not shown: --all`);
    };
    if (workers) {
      const items = await context.people.workers();
      const listed = all ? items : listedWorkers(items);
      await context.print(items, (wide) => workersTable(listed, context.list(wide)));
      noteHidden(items.length - listed.length);
    } else {
      const items = await context.people.agents();
      const listed = all ? items : listedAgents(items);
      await context.print(items, (wide) =>
        items.length === 0
          ? 'No agent has registered yet. Start one: evident agent'
          : agentsTable(listed, wide, context.list(wide)),
      );
      noteHidden(items.length - listed.length);
    }
    return EXIT.cameTrue;
  });
}

function agentsTable(items: readonly AgentView[], wide: boolean, style: TableStyle): string {
  const head = ['TARGET', 'AGENT', 'STATE', 'SEEN', 'EPOCH', 'VERSION'];
  const ms = (value: number | null) => (value === null ? '-' : `${value} ms`);
  return table(
    wide ? [...head, 'INSTANCE', 'IDENTITY', 'WATCH AGE', 'CLOCK AHEAD', 'OBSERVES', 'IN TROUBLE'] : head,
    items.map((item) => {
      const { target, agent, state, asOf, epoch, version } = item;
      const row: Cell[] = [
        ...[target, agent ?? '-'],
        [state, PRESENCE[state]],
        ...[printedInstant(asOf), epoch, version || '-'],
      ];
      const { instance: id, identity, watchAgeMs, skewMs, observation, scopes } = item;
      const troubled = scopes.flatMap((one) => {
        const trouble = scopeTrouble(one);
        return trouble === null ? [] : [`${one.scope} ${trouble}`];
      });
      return wide
        ? [
            ...row,
            id,
            identity ?? '-',
            ms(watchAgeMs),
            ms(skewMs),
            ruleSentence(observation),
            troubled.join('; ') || '-',
          ]
        : row;
    }),
    style,
  );
}

const workersTable = (items: readonly WorkerView[], style: TableStyle) =>
  table(
    ['WORKER', 'KINDS', 'STATE', 'SEEN', 'HOLDS'],
    items.map(({ worker, kinds, state, lastSeen, holds }) => [
      worker,
      kinds.join(' '),
      [state, PRESENCE[state]],
      printedInstant(lastSeen),
      holds.map(({ command }) => command).join(' ') || '-',
    ]),
    style,
  );

export function runCommands(options: ContextOptions): Promise<void> {
  return inContext(options, null, async (context) => {
    const items = await context.people.commands();
    await context.print(items, (wide) =>
      items.length === 0 ? NOTHING_WAITS : commandsTable(items, wide, context.list(wide)),
    );
    return EXIT.cameTrue;
  });
}

function commandsTable(items: readonly CommandView[], wide: boolean, style: TableStyle): string {
  const head = ['SERVICE', 'ABOUT', 'KIND', 'STATE', 'WAITS FOR', 'SINCE', 'HOLDER'];
  return table(
    wide ? [...head, 'UNTIL', 'LAPSES', 'COMMAND'] : head,
    items.map(({ command, kind, service, revision, attempt, state, waitsFor, since, holder, lapses }) => {
      const row: Cell[] = [
        [service, 'strong'],
        `r${revision}.${attempt}`,
        kind,
        [state, holder === null ? 'doubt' : 'busy'],
        waitsFor,
        printedInstant(since),
        holder?.worker ?? '-',
      ];
      return wide ? [...row, printedInstant(holder?.until ?? null), String(lapses), command] : row;
    }),
    style,
  );
}
