import type { ActionName } from '../contract/actions.ts';
import type { DeadlineName } from '../contract/intent.ts';
import type { Kind, Owner, State } from '../contract/vocabulary.ts';
import type { MessageCode } from './messages.ts';

/**
 * One state of the model. A state that leaves a question open does not compile; `verifyModel` checks again at
 * start-up.
 */
export interface StateRow {
  readonly meaning: string;
  /** The evidence that backs it. */
  readonly proof: string;
  /** The owner of the next proof. */
  readonly owner: readonly Owner[];
  /** The evidence that is expected next. */
  readonly expects: readonly Kind[];
  /** The deadlines that run here and what their passing means; or, with no names, why none does. */
  readonly deadline: { readonly names: readonly DeadlineName[]; readonly rule: string };
  /** The time that it may be claimed without new evidence; or why it does not age. */
  readonly freshness: string;
  /** The meaning of the lease's end here, where there is a lease. */
  readonly lease: string | null;
  readonly message: readonly MessageCode[];
  /** The repair, and its named actions. */
  readonly repair: { readonly actions: readonly ActionName[]; readonly how: string };
  /** The messages that are safe to show to the user. */
  readonly tell: string;
  /** The way in which stale progress is rejected here. */
  readonly stale: string;
}

const DOES_NOT_AGE = 'Does not age: it rests on the ledger, not on observation.';
const OBSERVED_FRESHNESS =
  'Holds for the freshness window after `asOf` of the last report that covers it; then `unknown` (S2).';
const STALE_COMMAND =
  'Evidence under an older revision, attempt or fence is `stale_revision`, `stale_attempt` or `stale_lease`: history (S3, S8).';
const STALE_REPORT =
  'A report of an older epoch is `stale_epoch`, of an older sequence number `out_of_order`; an instance counts only for the revision and attempt stamped on it.';

export const STATE_TABLE = {
  accepted: {
    meaning: 'What was requested is recorded, and the work for it exists.',
    proof: 'Intent and command, recorded in one transaction.',
    owner: ['publisher'],
    expects: ['command.published'],
    deadline: {
      names: ['publishMs'],
      rule: 'Published again at 30 s; in the end withdrawn, then `failed` at `publish`.',
    },
    freshness: DOES_NOT_AGE,
    lease: null,
    message: ['accepted'],
    repair: { actions: ['cancel', 'deploy'], how: 'The publisher publishes again by itself.' },
    tell: 'Your request is recorded and will not be lost.',
    stale: 'An older revision is superseded in the transaction that records this one.',
  },
  waiting_for_worker: {
    meaning: 'The work is published, and nobody owns it yet.',
    proof: '`command.published`, and no acknowledged lease.',
    owner: ['worker', 'agent'],
    expects: ['command.acknowledged'],
    deadline: {
      names: ['queueMs', 'applyQueueMs'],
      rule: 'The command is withdrawn, then `failed` at `queue` (an image: at `apply_queue`).',
    },
    freshness: `${DOES_NOT_AGE} Why it waits is computed when read.`,
    lease: 'an offer that is not taken up in 5 s is withdrawn and its fence burned.',
    message: [
      'waiting.no_worker',
      'waiting.all_busy',
      'waiting.offered',
      'waiting.requeued',
      'waiting.target_offline',
      'waiting.target_busy',
      'waiting.target_offered',
      'waiting.target_requeued',
    ],
    repair: {
      actions: ['start_worker', 'start_agent', 'cancel'],
      how: 'A worker whose kinds and binding cover the command comes online or free.',
    },
    tell: 'It waits, and why: nobody online, all busy, somebody free, being handed over, or interrupted once.',
    stale: STALE_COMMAND,
  },
  building: {
    meaning: 'A worker owns the build.',
    proof: '`command.acknowledged` of a build lease that has not ended.',
    owner: ['worker'],
    expects: ['artifact.stored', 'build.failed'],
    deadline: {
      names: ['buildMs'],
      rule: 'All leases together; the fence is revoked, then `failed` at `build`.',
    },
    freshness: 'Holds until the lease’s end; a heartbeat moves it.',
    lease:
      'its end makes it `unknown`, last known building; the recorded lapse re-queues it, the third is `failed`, `worker_lost`.',
    message: ['building', 'building.holder_silent'],
    repair: { actions: ['cancel', 'deploy'], how: 'A lapsed build is re-queued by itself.' },
    tell: 'A builder is at work, and at which step; past its renewal interval, when it was last heard.',
    stale: STALE_COMMAND,
  },
  artifact_ready: {
    meaning: 'What will run is there, and the target has not taken it yet.',
    proof: 'Our store holds the bytes, digest verified.',
    owner: ['agent'],
    expects: ['command.acknowledged'],
    deadline: {
      names: ['applyQueueMs'],
      rule: 'At 2 min it is said whether an agent is alive; in the end withdrawn, then `failed` at `apply_queue`.',
    },
    freshness: `${DOES_NOT_AGE} Why it waits is computed when read.`,
    lease: 'an offer that is not taken up in 5 s is withdrawn and its fence burned.',
    message: [
      'artifact_ready.target_offline',
      'artifact_ready.target_busy',
      'artifact_ready.target_offered',
      'artifact_ready.target_requeued',
    ],
    repair: { actions: ['start_agent', 'cancel'], how: 'The agent of the target comes online or free.' },
    tell: 'It is ready to be applied, and why that waits.',
    stale: `${STALE_COMMAND} An artifact that the store lacks is \`artifact_missing\`.`,
  },
  applying_runtime_state: {
    meaning: 'The target’s agent owns the apply and is applying it.',
    proof: '`command.acknowledged` of an apply lease that has not ended.',
    owner: ['agent'],
    expects: ['runtime.applied', 'runtime.apply_failed'],
    deadline: {
      names: ['applyMs'],
      rule: 'All leases together; the fence is revoked, then `failed` at `apply`.',
    },
    freshness:
      'Holds until the lease’s end; a heartbeat moves it. What is observed meanwhile changes nothing.',
    lease:
      'its end makes it `unknown`, last known applying; the recorded lapse re-queues it, the third is `failed`, `worker_lost`.',
    message: ['applying', 'applying.holder_silent'],
    repair: {
      actions: ['rollback', 'teardown'],
      how: 'A lapsed apply is re-queued by itself. Cancel is no longer possible.',
    },
    tell: 'The target is applying it.',
    stale: STALE_COMMAND,
  },
  starting: {
    meaning: 'The runtime was told; what was requested is not proven to run yet.',
    proof:
      '`runtime.applied` for this attempt, and a fresh view of the target. In observe mode also: more is wanted than was proven, and nothing of that is missing.',
    owner: ['watcher'],
    expects: ['runtime.observed', 'route.observed'],
    deadline: {
      names: ['startMs'],
      rule: 'Without progress for so long while fresh: `failed` at the stage observed; taken back when the contract holds. Sooner if every instance shows a reason that time does not mend (`wrong_port`, `wrong_address`, `health_error`), or ended for good. In observe mode, of what ran with fewer copies: `degraded`.',
    },
    freshness: OBSERVED_FRESHNESS,
    lease: null,
    message: ['starting', 'starting.unseen', 'starting.to_zero', 'starting.more', 'starting.job'],
    repair: {
      actions: ['deploy', 'rollback', 'teardown', 'mend_there'],
      how: 'It becomes `running` when the contract comes to hold.',
    },
    tell: 'How many are ready, and what is still missing.',
    stale: STALE_REPORT,
  },
  running: {
    meaning: 'What was requested runs, answers, and has been stable.',
    proof: 'The running contract holds, freshly, with a report past the stability window (S1).',
    owner: ['watcher'],
    expects: ['runtime.observed', 'route.observed'],
    deadline: { names: [], rule: 'None: nothing is missing. Silence is judged by freshness.' },
    freshness: OBSERVED_FRESHNESS,
    lease: null,
    message: [
      'running',
      'running.job',
      'running.change_waits',
      'running.by_connecting',
      'running.by_node',
      'running.certificate_ends',
    ],
    repair: { actions: ['restart', 'rollback', 'teardown', 'resume_rollout'], how: 'Nothing is broken.' },
    tell: 'It runs, and when that was last seen.',
    stale: STALE_REPORT,
  },
  degraded: {
    meaning: 'This attempt was running, and is seen not to satisfy the contract now.',
    proof: 'The contract held in this attempt; a fresh report shows it broken.',
    owner: ['watcher'],
    expects: ['runtime.observed', 'route.observed'],
    deadline: {
      names: ['degradedMs'],
      rule: 'While fresh: `failed` at `runtime`; taken back when the contract holds again. Neither while only the window is missing, nor while others are steady beside a crash loop.',
    },
    freshness: OBSERVED_FRESHNESS,
    lease: null,
    message: ['degraded', 'degraded.job', 'degraded.settling', 'degraded.unsteady'],
    repair: {
      actions: ['restart', 'rollback', 'deploy', 'mend_there'],
      how: 'It becomes `running` when it recovers.',
    },
    tell: 'How many are still ready, and what broke.',
    stale: STALE_REPORT,
  },
  failed: {
    meaning: 'A stage failed, or its deadline passed and the work was revoked.',
    proof: 'The stage’s failure evidence; a deadline after the work was revoked; or a fresh observation.',
    owner: ['api', 'operator'],
    expects: ['retry.requested', 'intent.recorded'],
    deadline: { names: [], rule: 'None: it waits for a person, who has all the time.' },
    freshness: `At \`publish\` to \`apply\` it does not age. At \`scheduling\` to \`runtime\`: ${OBSERVED_FRESHNESS}`,
    lease: null,
    message: [
      'failed.publish',
      'failed.queue',
      'failed.build',
      'failed.apply_queue',
      'failed.apply',
      'failed.scheduling',
      'failed.image',
      'failed.start',
      'failed.readiness',
      'failed.route',
      'failed.runtime',
      'failed.stop',
      'failed.ends',
      'failed.wrong_port',
      'failed.health_error',
      'failed.job',
      'failed.still_there',
      'failed.settling',
    ],
    repair: {
      actions: ['deploy', 'retry', 'restart', 'rollback', 'teardown', 'mend_there'],
      how: 'A new revision or attempt. An observed failure is also taken back by the next observation that holds; one by a crash loop only when the contract held over the lengthened window.',
    },
    tell: 'Which stage failed and why, what was expected, whose move it is, whether trying again is safe.',
    stale: `${STALE_COMMAND} The outcome of the attempt never changes again (S11).`,
  },
  cancelling: {
    meaning: 'A cancel is recorded, and the work is still owned.',
    proof: '`cancel.requested`, and an acknowledged lease that has not ended.',
    owner: ['worker', 'agent', 'sweeper'],
    expects: ['cancel.acknowledged', 'lease.lapsed'],
    deadline: { names: [], rule: 'None of its own: the lease’s end, which heartbeats no longer move.' },
    freshness: DOES_NOT_AGE,
    lease: 'its end revokes the fence, then it is `cancelled`.',
    message: ['cancelling'],
    repair: { actions: ['deploy'], how: 'It ends by itself with the lease; a new revision supersedes it.' },
    tell: 'The cancel is recorded; work in progress is being ended.',
    stale: 'A completion that still arrives is recorded, has no follow-up and counts as acknowledgement.',
  },
  cancelled: {
    meaning: 'Nothing of this attempt goes on.',
    proof:
      'Acknowledged; or its lease ended after the fence was revoked; or the command was withdrawn before anyone owned it.',
    owner: ['api', 'operator'],
    expects: ['retry.requested', 'intent.recorded'],
    deadline: { names: [], rule: 'None: it is over.' },
    freshness: DOES_NOT_AGE,
    lease: null,
    message: ['cancelled', 'cancelled.removal'],
    repair: {
      actions: ['retry', 'deploy', 'rollback'],
      how: 'A new attempt or revision; of a removal, a rollback to what it was to remove.',
    },
    tell: 'It was cancelled as requested; start it again at any time.',
    stale: 'Whatever its last holder still sends is `stale_lease`.',
  },
  stopping: {
    meaning: 'Removal was requested, here or at its target, and absence is not proven yet.',
    proof:
      '`teardown.requested`; in observe mode a fresh report that nothing of it is wanted any more, and that something is there.',
    owner: ['agent', 'watcher'],
    expects: ['runtime.removed', 'runtime.observed'],
    deadline: {
      names: ['stopMs'],
      rule: '`unknown`, `absence_unproven`; the attempt is `abandoned`: absence is never assumed.',
    },
    freshness: `Does not age: that removal was requested stays true. In observe mode: ${OBSERVED_FRESHNESS}`,
    lease: 'its end re-queues the removal, as often as it takes.',
    message: ['stopping', 'stopping.elsewhere'],
    repair: {
      actions: ['teardown', 'start_agent', 'deploy'],
      how: 'The agent removes and reports; teardown may be repeated.',
    },
    tell: 'It is being removed, and counts as stopped only when nothing of it is seen.',
    stale: `${STALE_COMMAND} A snapshot older than \`runtime.removed\` proves no absence.`,
  },
  stopped: {
    meaning: 'Nothing of it runs, and that is proven.',
    proof:
      '`runtime.removed` (with no replicas: `runtime.applied`) and, after it, a complete snapshot without an instance; or no apply was ever leased.',
    owner: ['watcher'],
    expects: ['runtime.observed'],
    deadline: { names: [], rule: 'None: nothing is missing. Silence is judged by freshness.' },
    freshness: `${OBSERVED_FRESHNESS} Proven by the ledger alone it does not age.`,
    lease: null,
    message: [
      'stopped',
      'stopped.scaled_to_zero',
      'stopped.no_node_selected',
      'stopped.removed_elsewhere',
      'stopped.job_suspended',
      'stopped.completed',
      'stopped.never_applied',
      'stopped.uncontained',
    ],
    repair: {
      actions: ['deploy', 'teardown'],
      how: 'An instance seen after all is `unknown`, `contradictory`, and removed again.',
    },
    tell: 'Nothing of it runs, and when that was last seen.',
    stale: `${STALE_REPORT} An incomplete report proves no absence.`,
  },
  unknown: {
    meaning: 'Evidence is stale, contradictory or missing.',
    proof: 'What is missing: the cause names it, `lastKnown` says what was proven before, and how long ago.',
    owner: ['watcher', 'worker', 'agent', 'sweeper'],
    expects: ['runtime.observed', 'lease.lapsed', 'runtime.removed', 'retry.requested', 'intent.recorded'],
    deadline: {
      names: [],
      rule: 'None on the claim: it is resolvable at any time. The attempt’s outcome becomes `abandoned` when its stage’s deadline passes meanwhile.',
    },
    freshness: 'Does not age: it already says that nothing fresh is known.',
    lease: 'one whose end was reached stands until its lapse is recorded; a late heartbeat resolves it.',
    message: [
      'unknown.stale_runtime',
      'unknown.never_observed',
      'unknown.watch_stalled',
      'unknown.lease_lapsed',
      'unknown.contradictory',
      'unknown.unrecognised',
      'unknown.store_recovered',
      'unknown.not_on_record',
      'unknown.lost',
      'unknown.evidence_corrupt',
      'unknown.forbidden',
      'unknown.runtime_unreachable',
      'unknown.absence_unproven',
      'unknown.identity_changed',
      'unknown.former_place',
      'unknown.not_observed',
    ],
    repair: {
      actions: [
        'start_agent',
        'restart_agent',
        'grant_access',
        'check_runtime',
        'confirm_target',
        'investigate',
        'teardown',
        'retry',
        'redeploy',
        'mend_there',
      ],
      how: 'The evidence that the cause names; the next report resolves most of them by itself.',
    },
    tell: 'What is not known and why, what it was when last known, and what would settle it.',
    stale: `${STALE_COMMAND} ${STALE_REPORT}`,
  },
} as const satisfies Record<State, StateRow>;
