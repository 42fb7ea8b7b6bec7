import { HINTS } from './mutant-hints.ts';

/**
 * Planted mistakes. White space in `find` matches any. Each is a patch of the text of one file, made when the simulator is bundled, and fails if its
 * text is gone: the code under test holds no switch for any of them. A mutant that survives is a hole in the oracle.
 */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly put: string;
  /** Mistakes in a database's store show only where it is held against memory. */
  readonly store?: 'memory' | 'sqlite';
  /** A seed that once found it, tried first. Only a hint: if it finds nothing, the hunt goes on from the first seed. */
  readonly seed?: number;
}

export const MUTANTS: readonly Mutant[] = [
  // Admission
  m(
    'stale lease admitted',
    'evidence/admit.ts',
    'compareDigits(item.fence, command.fence) < 0 || lease.ended',
    'false',
  ),
  m('revision ignored', 'evidence/admit.ts', 'item.revision < active.revision', 'false'),
  m('lease of another admitted', 'evidence/admit.ts', 'lease.caller !== context.caller', 'false'),
  m('kind not about its command', 'evidence/admit.ts', '!isAbout(item.kind, command.kind)', 'false'),
  m('artifact not checked', 'evidence/admit.ts', '!context.artifactHeld', 'false'),
  m(
    'attempt of the item not compared with its command',
    'evidence/admit.ts',
    'item.attempt !== command.attempt ||',
    '',
  ),
  m(
    'other body under the same id admitted',
    'evidence/admit.ts',
    "rejected('conflicting_duplicate')",
    "{ verdict: 'admitted' }",
  ),
  m(
    'duplicate admitted',
    'evidence/submit.ts',
    "const original = await tx.get('evidenceIds', first); if (original !== undefined && original.body === said) return repeat(item.id, original);",
    'const original = undefined as EvidenceIdRow | undefined',
  ),
  m('body not validated', 'evidence/submit.ts', 'const verdict = !body.success', 'const verdict = false'),
  m(
    'refused evidence folded',
    'evidence/submit.ts',
    "verdict.verdict !== 'admitted' || known.file === null",
    'known.file === null',
  ),
  m(
    'verdict forgotten',
    'evidence/submit.ts',
    "await tx.append('evidenceIds', { ...first, body: said, position, reason: null });",
    '',
  ),

  // Ownership
  m(
    'acknowledged lease too long',
    'evidence/lease-end.ts',
    'until: door.at + door.settings.leaseTtlMs',
    'until: door.at + 20 * door.settings.leaseTtlMs',
  ),
  m(
    'completed lease left open',
    'evidence/lease-end.ts',
    "'artifact.stored': { end: 'completed', state: 'done' },",
    '',
  ),
  m(
    'heartbeat extends what was cancelled',
    'ownership/heartbeat.ts',
    'growing: true, silenced: false, until: gt(now)',
    'silenced: false, until: gt(now)',
  ),
  m(
    'heartbeat extends an ended lease',
    'ownership/heartbeat.ts',
    'const expect = { fence, endedAt: null, growing: true, silenced: false, until: gt(now) }',
    'const expect = { fence }',
  ),
  m('two acquire one command', 'ownership/offering.ts', "{ state: 'published', fence: command.fence }", '{}'),
  m(
    'fence does not grow',
    'ownership/offering.ts',
    'const fence = addDigits(command.fence, 1)',
    "const fence = command.fence === '0' ? '1' : command.fence",
  ),
  m(
    'fenced agent gets work',
    'ownership/offering.ts',
    "known === undefined && agent === undefined ? null : 'fenced'",
    'null',
  ),
  m(
    'offer never withdrawn',
    'repair/sweep.ts',
    "await endLease(door, lease, 'not_taken_up', 'published');",
    '',
  ),
  m(
    'registration leaves old leases',
    'evidence/register.ts',
    'await requeueOlder(door, target, epoch, caller);',
    '',
  ),
  m('fenced instance registers again', 'evidence/register.ts', 'if (known !== undefined) {', 'if (false) {'),

  m(
    'released command lost',
    'ownership/release.ts',
    "command.cancelRequested ? 'cancelled' : 'published'",
    "command.cancelRequested ? 'cancelled' : 'done'",
  ),
  m(
    'sweeper without fence',
    'projection/decide.ts',
    'const at = leaseEnd(view.facts.vitals, command, lease);',
    'const at = 0;',
  ),

  // The door
  m('receipt by the raw clock', 'evidence/door.ts', 'Math.max(now, head.at)', 'now'),
  m(
    'positions repeat',
    'evidence/door.ts',
    'this.#position = addDigits(this.#position, 1);',
    "if (this.#position !== '9') this.#position = addDigits(this.#position, 1);",
  ),
  m(
    'time not settled',
    'evidence/door.ts',
    'let cursor = file.settledTo;',
    'if (this.at > 0) return;\n    let cursor = file.settledTo;',
  ),
  m(
    'outcome of a deadline not recorded',
    'evidence/door.ts',
    "if (standing.outcome !== 'failed' && standing.outcome !== 'abandoned') return;",
    'return;',
  ),
  m('superseded lease goes on growing', 'evidence/consequences.ts', ': { growing: false },', ': {},'),
  m('superseded command still offered', 'evidence/consequences.ts', "{ state: 'superseded' }", '{}'),
  m(
    'no follow-up command',
    'evidence/consequences.ts',
    'if (file.command === id) return;',
    "if (file.command === id || kind === 'apply') return;",
  ),
  m(
    'held command never released',
    'evidence/consequences.ts',
    "{ state: 'held' }, { state: 'recorded', availableAt: door.at }",
    "{ state: 'held' }, {}",
  ),
  m(
    'terminal outcome overwritten',
    'evidence/consequences.ts',
    "{ outcome: 'in_progress' }, { outcome, endedAt: door.at }",
    '{}, { outcome, endedAt: door.at }',
  ),
  m(
    'transition of time lost',
    'evidence/door.ts',
    'file.recorded = { state: standing.state, revision, attempt, since, position };',
    '',
  ),
  m(
    'facts not saved',
    'evidence/door.ts',
    'proven: file.proven,',
    'proven: file.stored?.proven ?? file.proven,',
  ),

  // Folding
  m(
    'cancel lets completion through',
    'projection/fold.ts',
    'const byCancel = cancelled !== null &&',
    'const byCancel = false && cancelled !== null &&',
  ),
  m(
    'queue lets two through',
    'projection/queue.ts',
    'return r.recorded.absent ? r.recorded : r.attempt.settled;',
    "return r.recorded.absent ? r.recorded : (r.attempt.settled ?? { ...r.recorded, position: '999999999' });",
  ),
  m(
    'queued revision supersedes',
    'projection/queue.ts',
    'r.recorded !== null && !r.recorded.queued',
    'r.recorded !== null',
  ),
  m('retry on the same attempt', 'intent/retry.ts', 'active.attempt.attempt + 1', 'active.attempt.attempt'),
  m('restart between reports unseen', 'projection/fold-observed.ts', 'a.restarts === b.restarts &&', ''),
  m('readiness change unseen', 'projection/fold-observed.ts', 'a.ready === b.ready &&', ''),
  m(
    'steady through a change',
    'projection/fold-observed.ts',
    'if (sameCondition(before, instance) && !unproven) return',
    'return',
  ),
  m('corrupt report believed', 'projection/fold-observed.ts', 'corrupt: body.corrupt,', 'corrupt: false,'),

  // The running contract
  m(
    'stability off',
    'projection/running-contract.ts',
    'return asOf >= since + intent.stabilityMs',
    'return asOf >= since',
  ),
  m(
    'one lucky sample',
    'projection/running-contract.ts',
    'return asOf >= since + intent.stabilityMs',
    'return true',
  ),
  m(
    "old version's health credited",
    'projection/running-contract.ts',
    'i.revision === intent.revision && i.attempt === facts.attempt.attempt',
    'i.revision !== null',
  ),
  m(
    'digest not compared',
    'projection/running-contract.ts',
    'ready.filter((i) => digest !== null && digestOf(i.artifact) === digest)',
    'ready',
  ),
  m(
    'route not asked',
    'projection/running-contract.ts',
    'if (port && !routeAnswers(intent, facts, entry))',
    'if (false)',
  ),
  m(
    'running means ready',
    'projection/instances.ts',
    "i.phase === 'running' && i.ready &&",
    "i.phase === 'running' &&",
  ),
  m(
    'steady through a silence of the route',
    'projection/running-contract.ts',
    'part.entries.findLastIndex(isContrary) + 1',
    '0',
  ),
  m(
    'scale does not accept its base',
    'projection/running-contract.ts',
    'intent.accepts.some((s) => s.revision === i.revision && s.attempt === i.attempt)',
    'false',
  ),
  m(
    'fewer than wanted',
    'projection/running-contract.ts',
    'const wanted =',
    'const wanted = intent.replicas > 1 ? 1 :',
  ),

  // Freshness and observation
  m(
    'freshness off by the window',
    'projection/judge-runtime.ts',
    'asOf + facts.vitals.settings.freshForMs',
    'asOf + 2 * facts.vitals.settings.freshForMs',
  ),
  m('never stale', 'projection/judge-runtime.ts', 'asOf === null || now >= fresh.until', 'asOf === null'),
  m(
    'stopped never ages',
    'projection/judge-stop.ts',
    'fresh.asOf !== null && now < fresh.until',
    'fresh.asOf !== null',
  ),
  m(
    'fresh by receipt',
    'evidence/vitals.ts',
    'return { scope, epoch, asOf, receivedAt, completeAt, unavailable };',
    'return { scope, epoch, asOf: receivedAt, receivedAt, completeAt, unavailable };',
  ),
  m(
    'identity ignored',
    'projection/freshness.ts',
    'if (agent === null || !agent.identityChanged) return false;',
    'return false;',
  ),
  m('`asOf` by receipt alone', 'evidence/report-scope.ts', 'Math.min(now - given.watchAgeMs, heard)', 'now'),
  m(
    'what was heard ignored',
    'evidence/report-scope.ts',
    'Math.min(now - given.watchAgeMs, heard)',
    'now - given.watchAgeMs',
  ),
  m(
    'age of the watch ignored',
    'evidence/report-scope.ts',
    'Math.min(now - given.watchAgeMs, heard)',
    'heard',
  ),
  m(
    'older epoch believed',
    'evidence/report-scope.ts',
    "if (order < 0) return { kind: 'refused', reason: 'stale_epoch', stored };",
    '',
  ),
  m(
    'epoch never issued believed',
    'evidence/report-scope.ts',
    "if (order > 0) return { kind: 'refused', reason: 'unissued', stored };",
    '',
  ),
  m(
    'sequence ignored',
    'evidence/report-scope.ts',
    'continued && compareDigits(report.seq, scope.seq) <= 0',
    'false',
  ),
  m(
    'base ignored',
    'evidence/report-scope.ts',
    "report.kind !== 'full' && (!continued || scope.base !== report.base)",
    'false',
  ),
  m(
    'complete flag ignored',
    'evidence/observation.ts',
    "report.kind === 'full' && report.complete",
    "report.kind === 'full'",
  ),
  m(
    'complete report never prunes',
    'evidence/observation.ts',
    'instances: [...named],',
    'instances: [...named, ...bare(before).filter((i) => !named.some((n) => n.uid === i.uid))],',
  ),
  m(
    'removed instances kept',
    'evidence/observation.ts',
    '!updated.has(i.uid) && !sorted.removedInstances.has(i.uid)',
    '!updated.has(i.uid)',
  ),
  m(
    'incomplete report refreshes all',
    'evidence/report-scope.ts',
    'const proves = complete && given.unavailable == null',
    'const proves = given.unavailable == null',
  ),
  m(
    'blind agent refreshes',
    'evidence/report-scope.ts',
    'const proves = complete && given.unavailable == null',
    'const proves = complete',
  ),
  m(
    'calm report hides news',
    'evidence/report.ts',
    "given.kind !== 'heartbeat' && (await hasNews(tx, { org, target, report: given, sorted }, scope, host.giveWay))",
    'false',
  ),
  m('heartbeat concludes nothing', 'evidence/report.ts', 'if (awaiting.length > 0) return null;', ''),

  // Deadlines and repair
  m('lease end ignored', 'projection/judge-command.ts', 'if (view.now >= end) {', 'if (view.now < 0) {'),
  m(
    'blind time counted',
    'projection/intervals.ts',
    'if (excluded.length === 0) return start + ms;',
    'if (excluded.length >= 0) return start + ms;',
  ),
  m(
    'withdrawn command still offered',
    'repair/carry-out.ts',
    "{ state: unowned }, { state: 'withdrawn' }",
    '{ state: unowned }, {}',
  ),
  m(
    'revoked lease still open',
    'repair/carry-out.ts',
    "!(await endLease(door, lease, 'revoked', 'failed'))",
    'false',
  ),
  m(
    'lapsed work not re-queued',
    'repair/carry-out.ts',
    "next === 'requeue' ? 'published'",
    "next === 'requeue' ? 'withdrawn'",
  ),
  m('absence by an old snapshot', 'projection/judge-runtime.ts', 'completeAsOf >= since.at &&', ''),
  m(
    'stopped before removal',
    'projection/judge-stop.ts',
    'isAbsent(facts, toldMark(view))',
    'isAbsent(facts, revision.recorded)',
  ),
  m(
    'ledger alone outweighs what is seen',
    'projection/judge-stop.ts',
    'return observedInstances(view.facts.proven.observed).length === 0;',
    'return true;',
  ),
  m(
    'contradiction unseen',
    'projection/judge-runtime.ts',
    'instances.length === 0 &&',
    'instances.length >= 0 &&',
  ),
  m(
    'silence counts as unready time',
    'projection/judge-runtime.ts',
    'silences.length === 0 ? blind : [...silences, ...blind]',
    'blind',
  ),

  // Intent
  m('key not remembered', 'intent/acted.ts', 'if (key && idempotency) {', 'if (false) {'),
  m(
    'key of another request accepted',
    'intent/acted.ts',
    'earlier.fingerprint !== idempotency?.fingerprint',
    'false',
  ),
  m(
    'queue policy ignored',
    'intent/deploy.ts',
    "busy && policy === 'queue' && from.kind !== 'observe'",
    'false',
  ),
  m('refuse policy ignored', 'intent/deploy.ts', "busy && policy === 'refuse'", 'false'),
  m(
    'teardown over the unknown',
    'intent/teardown.ts',
    "standing.state === 'unknown' && !repeated && force === null",
    'false',
  ),
  m(
    'port that the build found is forgotten',
    'intent/deploy.ts',
    "origin.kind === 'artifact' ? plan.port : (port ?? null)",
    '(port ?? null)',
  ),
  m(
    'command that the build found is forgotten by what derives from it',
    'intent/derive.ts',
    'row.spec.command ?? row.command ?? found?.command ?? null',
    'row.spec.command ?? null',
  ),
  m(
    'command that the build found is forgotten by a configuration',
    'intent/deploy.ts',
    'spec.command ?? plan.command',
    'spec.command ?? null',
  ),
  m('teardown takes absence for granted', 'intent/teardown.ts', 'const absent =', 'const absent = true ||'),
  m('cancel too late', 'intent/cancel.ts', 'isTooLate(active) ||', ''),
  m('cancel flips only a row', 'intent/cancel.ts', 'immediate: owner === undefined', 'immediate: true'),
  m(
    'cancelled command still offered',
    'intent/cancel.ts',
    "{ state: OPEN_COMMAND }, { state: 'cancelled' }",
    '{ state: OPEN_COMMAND }, {}',
  ),
  m(
    'published twice',
    'command/publish.ts',
    "const expect = { state: 'recorded' } as const",
    'const expect = {}',
  ),

  // What a claim says beside its state
  m(
    'always no worker online',
    'projection/judge-command.ts',
    'if (busy.length + free.length === 0) return',
    'if (busy.length + free.length >= 0) return',
  ),
  m(
    'busy workers counted free',
    'evidence/vitals.ts',
    'held.length === 0 ? null : Math.max(...held.map(({ until }) => until))',
    'null',
  ),
  m(
    'given back, but not said',
    'projection/judge-command.ts',
    'if (requeuedAt !== null && (',
    'if (false && (',
  ),
  m(
    '`validUntil` always null',
    'projection/claim.ts',
    'rfc3339OrNull(standing.overdue ? now + 1 : standing.changesAt)',
    'null',
  ),
  m(
    '`validUntil` too late',
    'projection/judge-runtime.ts',
    'changesAt: soonest(at, fresh.until), expecting: { evidence',
    'changesAt: fresh.until + 3_000, expecting: { evidence',
  ),
  m(
    'retry always safe',
    'projection/next.ts',
    'const retrySafe = standing.retrySafe && (row?.retrySafe ?? true)',
    'const retrySafe = true',
  ),
  m(
    'what was known is dropped',
    'projection/claim.ts',
    'standing.lastKnown === null',
    "standing.lastKnown === null || standing.state === 'unknown'",
  ),
  m(
    'what was known is always running',
    'projection/claim.ts',
    'state: standing.lastKnown.state,',
    "state: 'running',",
  ),

  // Deadlines that must speak
  m(
    '`degraded` never fails',
    'projection/judge-runtime.ts',
    'instantAfter(since, intent.deadlines.degradedMs, uncounted(view.facts))',
    'since + 1e9',
  ),
  m(
    '`degraded` fails too soon',
    'projection/judge-runtime.ts',
    'instantAfter(since, intent.deadlines.degradedMs, uncounted(view.facts))',
    'instantAfter(since, intent.deadlines.degradedMs >> 2, uncounted(view.facts))',
  ),
  m(
    '`starting` never fails',
    'projection/judge-runtime.ts',
    'instantAfter(startClock(view), intent.deadlines.startMs, uncounted(view.facts))',
    'startClock(view) + 1e9',
  ),
  m(
    '`unknown` never given up',
    'projection/judge-runtime.ts',
    'const gone = attempt.settled === null && abandonAt <= view.awake;',
    'const gone = false;',
  ),
  m(
    'progress does not restart the clock',
    'projection/judge-runtime.ts',
    'view.attempt.progress?.at ?? 0',
    '0',
  ),
  m(
    'three lapses never end',
    'projection/decide.ts',
    "lapses > LAPSES_ALLOWED ? 'fail'",
    "lapses > 1e9 ? 'fail'",
  ),
  m(
    'never removes again',
    'projection/decide.ts',
    "if (!stopped || standing.cause?.code !== 'contradictory') return [];",
    'if (stopped || !stopped) return [];',
  ),
  m(
    'heartbeat extends a lapsed lease unseen',
    'ownership/heartbeat.ts',
    'growing: true, silenced: false, until: gt(now)',
    'growing: true',
  ),

  // More of the running contract
  m(
    'crash loop by exit count ignored',
    'projection/running-contract.ts',
    "(i.reason === 'crash_loop' || exits(i) >= CRASH_LOOP_EXITS)",
    "i.reason === 'crash_loop'",
  ),
  m(
    'generation ignored',
    'projection/running-contract.ts',
    'if (isBehind(entry))',
    'if (isBehind(entry) && false)',
  ),
  m(
    'side containers ignored',
    'projection/instances.ts',
    "&& i.containers.every((c) => c.ready || c.kind === 'ephemeral')",
    '',
  ),
  m(
    'stability by clock',
    'projection/judge-runtime.ts',
    'const reading = readContract(view.intent, view.revision, facts.proven.observed);',
    'const read = readContract(view.intent, view.revision, facts.proven.observed);\n  const reading = { ...read, held: read.unmet === null && read.opaque === null && read.wanted > 0 && now >= (attempt.applied?.at ?? 0) + view.intent.stabilityMs };',
  ),

  m(
    'any template counts',
    'projection/running-contract.ts',
    'intent.template !== null && i.template === intent.template',
    'intent.template !== null',
  ),

  // More of reports
  m('fresh by the newest scope', 'projection/freshness.ts', 'Math.min(asOf, live)', 'Math.max(asOf, live)'),
  m(
    'prune without epoch',
    'evidence/report-scope.ts',
    'const continued = scope !== undefined && scope.seqEpoch === report.epoch;',
    'const continued = scope !== undefined;',
  ),
  m('tainted report is a base', 'evidence/report-scope.ts', 'base: tainted ? null :', 'base:'),

  // Time travel
  m(
    'the past seen with the liveness of now',
    'evidence/past-vitals.ts',
    'const span = row.spanFrom <= at',
    'const span = row.spanFrom <= Number.POSITIVE_INFINITY',
  ),

  // One transaction for many
  m(
    'image relies on nothing that it read',
    'store/image.ts',
    'Object.keys(expect).filter((column) => !Object.hasOwn(before, column))',
    '[] as string[]',
  ),

  // The store in SQL
  sql(
    'guard left out of an update',
    'sql/statements.ts',
    '{ ...keyColumns(table, key), ...expect }',
    'keyColumns(table, key)',
  ),
  sql('bound left out of a comparison', 'sql/statements.ts', "lte: '<='", "lte: '<'"),
  sql(
    'null compared by equality',
    'sql/statements.ts',
    "operator: 'is', values: []",
    "operator: '=', values: []",
  ),
  sql('last row taken for the first', 'sql/statements.ts', "descending ? 'desc' : 'asc'", "'asc'"),
  sql('limit forgotten', 'sql/statements.ts', 'limit === undefined ? query', 'true ? query'),
  sql('statement kept under the shape of another', 'sql/statements.ts', 'c.literal ?? c.values.length', "''"),
  sql(
    'appended rows lost at the commit',
    'sql/transaction.ts',
    'await this.#session.together(() => this.#flush(...this.#appended.keys()));',
    '',
  ),
  sql(
    'positions compared as text',
    'sqlite/dialect.ts',
    'const digits = String(value);',
    "const digits = String(value); if (digits) return '00' + digits;",
  ),
];

function m(name: string, file: string, find: string, put: string): Mutant {
  const seed = HINTS[name];
  return { name, file: `src/${file}`, find, put, ...(seed === undefined ? {} : { seed }) };
}

function sql(name: string, file: string, find: string, put: string): Mutant {
  return { ...m(`SQL: ${name}`, `store/${file}`, find, put), store: 'sqlite' };
}

/** The text with the mistake in it; throws when the text it changes is gone or stands twice. */
export function plant(mutant: Mutant, text: string): string {
  const escaped = mutant.find.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(escaped.replace(/\s+/g, '\\s*'), 'g');
  const found = text.match(pattern)?.length ?? 0;
  if (found !== 1)
    throw new Error(`mutant "${mutant.name}": its text stands ${found} times in ${mutant.file}, not once`);
  return text.replace(pattern, () => mutant.put);
}
