import type { RevisionIntent } from '../contract/intent.ts';
import type { CommandKind, State } from '../contract/vocabulary.ts';
import type { AttemptFacts, CommandFacts, LeaseFacts, RevisionFacts } from './facts.ts';

/** The command that the attempt needs next; null once the runtime has its order. */
export function neededCommand(intent: RevisionIntent, facts: RevisionFacts): CommandKind | null {
  if (intent.kind === 'teardown')
    return facts.attempt.removed === null && !facts.recorded?.absent ? 'remove' : null;
  if (intent.origin.kind === 'observe') return null;
  if (intent.origin.kind === 'source' && facts.artifact === null) return 'build';
  return facts.attempt.applied === null ? 'apply' : null;
}

/** The newest command of a kind: only removals are ever repeated. */
export function commandOf(attempt: AttemptFacts, kind: CommandKind): CommandFacts | null {
  return attempt.commands.findLast((c) => c.kind === kind) ?? null;
}

/** The acknowledged lease that still owns the command, if any. */
export function ownedLease(command: CommandFacts | null): LeaseFacts | null {
  const newest = command?.leases.at(-1);
  return newest?.acknowledged && newest.ended === null ? newest : null;
}

/** The states on the way of this revision, in order; `proof.reached` is the part of it that is proven. */
export function pathOf(intent: RevisionIntent, facts: RevisionFacts): readonly State[] {
  if (intent.kind === 'teardown') return ['stopping', 'stopped'];
  const end: State = intent.replicas === 0 ? 'stopped' : 'running';
  switch (intent.origin.kind) {
    case 'source':
      if (isBuiltBefore(facts))
        return ['accepted', 'artifact_ready', 'applying_runtime_state', 'starting', end];
      return [
        'accepted',
        'waiting_for_worker',
        'building',
        'artifact_ready',
        'applying_runtime_state',
        'starting',
        end,
      ];
    case 'image':
      return ['accepted', 'waiting_for_worker', 'applying_runtime_state', 'starting', end];
    case 'artifact':
      return ['accepted', 'artifact_ready', 'applying_runtime_state', 'starting', end];
    case 'observe':
    case 'none':
      return ['accepted', 'starting', end];
  }
}

/** An earlier attempt built it: this one starts at the first stage not yet proven. */
function isBuiltBefore(facts: RevisionFacts): boolean {
  return facts.artifact !== null && commandOf(facts.attempt, 'build') === null;
}
