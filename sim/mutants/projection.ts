import { type Mutant, m } from './mutant.ts';

/** What is made of it: facts, the running contract, and the words of a claim. */
export const PROJECTION_MUTANTS: readonly Mutant[] = [
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
    '&& i.containers.every((c) => c.ready || !isJudged(c))',
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

  // What a claim says beside its state
  m(
    'always no worker online',
    'projection/judge-command.ts',
    'if (busy.length + free.length === 0) return',
    'if (busy.length + free.length >= 0) return',
  ),
  m(
    'busy workers counted free',
    'evidence/door/liveness.ts',
    'now < until ? Math.max(busyUntil ?? 0, until) : busyUntil',
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

  // What answers
  m('serving what was never handed out, by route', 'projection/serving.ts', '|| !isIssued(route, facts)', ''),
];
