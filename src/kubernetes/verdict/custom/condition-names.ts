/**
 * What the name of a condition says where its operator is in no table. A name proves nothing good: it may only take the
 * proof of another condition away.
 */
const oneOf = (words: string) => `(?:${words.trim().split(/\s+/).join('|')})`;

const TROUBLES = oneOf(`
  Abort(?:ed)? BackOff Blocked Broken Conflict(?:s|ed|ing)? Corrupt(?:ed)? Crash(?:ed|ing|Looping|LoopBackOff)? Dangling
  DataLoss Dead Degraded Denied Disconnected DiskFull Errors? ErrorOccurred Errored Exceeded Exhausted Expired
  ExpiringSoon Fail(?:s|ed|ing|ure|ures) Fenced HasIssues Incompatible Insufficient Invalid Lagging Lost Misconfigured
  Mismatch(?:ed)? Missing NotFound Offline Orphaned OutOfDate OutOfMemory OutOfSync Outdated Overloaded Pressure
  Quarantined RateLimited Refused Rejected SplitBrain Stale Stalled Stuck Throttled TimedOut Timeout Unauthori[sz]ed
  Unavailable Unbound Unhealthy Unmet Unprocessable Unreachable Unready Unrecoverable Unresolved Unresponsive
  Unschedulable Unstable Unsupported Unsynced`);
const ENDS_IN_TROUBLE = new RegExp(`${TROUBLES}$`);
const BEGINS_WITH_TROUBLE =
  /^(?:Errors?|Fail(?:s|ed|ing|ure)|Invalid|Unhealthy|Unavailable|Missing|OutOf|Insufficient|Cannot|Not|Partially)(?=[A-Z])/;
/**
 * A step without which it cannot be as it should be. Names that may be about a limit, a fallback or a plan are none:
 * LimitReached, FallbackApplied, BackupScheduled.
 */
const ENDS_AS_STEP = new RegExp(
  `(?:^|[A-Za-z0-9])${oneOf(`
    Authenticated Authori[sz]ed Deployed Elected Initiali[sz]ed Mounted Online Provisioned Registered`)}$`,
);
const IS_STEP =
  /^(?:Applied|Scheduled|(?:Config(?:uration)?|Manifests?|Resources?|Schema|Spec)Applied|Pods?Scheduled|QuorumReached|(?:Conditions|Dependencies|Prerequisites|Requirements)Met)$/;
/** A denial of trouble: NoErrors, NotDegraded. */
const DENIES_TROUBLE = new RegExp(`^(?:No|Not|Nothing|Without)(?:[A-Z][A-Za-z]*)?${TROUBLES}$`);

const WORKS = new RegExp(
  `(?:^|[A-Za-z0-9])${oneOf(`
    Bootstrapping Configuring Creating Decommissioning Deleting Downgrading Draining Evicting Initiali[sz]ing InMaintenance
    InProgress Installing Migrating Pending Progressing Provisioning Rebalancing Rebooting Reconciling Reconfiguring
    Recovering Replacing Resharding Resizing Restarting Restoring RollingRestart RollingUpdate Scaling Starting Stopping
    Syncing Terminating Uninstalling Updating Upgrading Waiting`)}(?:$|(?=[A-Z]))`,
);
/** Work that may be done, or is switched on. */
const ENDS_AS_RULE = /[a-z](?:Active|Allowed|Done|Limited|Paused|Possible|Required|Supported)$/;
const DENIES_WORK = /^(?:No|None|Not|Nothing|Without)[A-Z]/;

/** A name may begin with an abbreviation: TLSReady. */
const ENDS_WELL = new RegExp(
  `(?:^|[A-Za-z0-9])${oneOf(`
    Accepted Available Balanced Bound Connected Consistent Established Healthy InSync Programmed Reachable Ready
    Reconciled Resolved Responsive Succeeded Success Successful Synced UpToDate Valid Verified`)}$`,
);
/** More words with which a name ends that says, when True, that all is well. */
const ENDS_OTHERWISE =
  /[a-z](?:Ok|OK|Succeeded|Complete|Completed|Handled|Passed|Recovered|Cleared|Enabled|Configured)$/;

/** `example.com/error-occurred` and `errorOccurred` are `ErrorOccurred`. */
function plainName(type: string): string {
  const name = type
    .slice(type.lastIndexOf('/') + 1)
    .replace(/[-_.]+(.)/g, (_, letter: string) => letter.toUpperCase());
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** The name says that something is wrong where the condition is True: FetchFailed, ErrorOccurred, OutOfSync, NotSynced. */
export function namesTrouble(type: string): boolean {
  const name = plainName(type);
  if (DENIES_TROUBLE.test(name)) return false;
  if (ENDS_IN_TROUBLE.test(name)) return true;
  if (!BEGINS_WITH_TROUBLE.test(name)) return false;
  return /^(?:Not|Partially)/.test(name) || !(ENDS_WELL.test(name) || ENDS_OTHERWISE.test(name));
}

/** The name says that work goes on where the condition is True: ReplacingNodes, OAuthServerProgressing; not ScalingActive. */
export function namesWork(type: string): boolean {
  const name = plainName(type);
  if (!WORKS.test(name) || DENIES_WORK.test(name)) return false;
  return !ENDS_WELL.test(name) && !ENDS_OTHERWISE.test(name) && !ENDS_AS_RULE.test(name);
}

/** The name says that a part of it is well where the condition is True: EtcdClusterHealthy, AllReplicasReady. */
export function namesHealth(type: string): boolean {
  const name = plainName(type);
  return ENDS_WELL.test(name) && !namesTrouble(type) && !/^Not[A-Z]/.test(name);
}

/** The name tells of a step that was done where the condition is True: ConfigApplied, LeaderElected. */
export function namesStep(type: string): boolean {
  const name = plainName(type);
  return (ENDS_AS_STEP.test(name) || IS_STEP.test(name)) && !namesTrouble(type) && !/^Not?[A-Z]/.test(name);
}
