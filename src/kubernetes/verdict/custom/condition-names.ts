/**
 * What the name of a condition says where its operator is in no table. A name proves nothing good: it may only take the
 * proof of another condition away.
 */
const oneOf = (words: string) => `(?:${words.trim().split(/\s+/).join('|')})`;

const TROUBLES = oneOf(`
  Abort(?:ed)? Blocked Broken Conflict(?:s|ed|ing)? Crash(?:ed|ing|LoopBackOff)? Degraded Denied Disconnected Errors?
  ErrorOccurred Errored Exceeded Exhausted Expired Fail(?:s|ed|ing|ure|ures) Incompatible Insufficient Invalid Lost
  Misconfigured Mismatch(?:ed)? Missing NotFound Offline OutOfDate OutOfSync Outdated Pressure Refused Rejected Stale
  Stalled Stuck TimedOut Timeout Unauthori[sz]ed Unavailable Unbound Unhealthy Unmet Unreachable Unready Unresolved
  Unresponsive Unschedulable Unstable Unsupported Unsynced`);
const ENDS_IN_TROUBLE = new RegExp(`${TROUBLES}$`);
const BEGINS_WITH_TROUBLE =
  /^(?:Errors?|Fail(?:s|ed|ing|ure)|Invalid|Unhealthy|Unavailable|Missing|OutOf|Insufficient|Cannot|Not|Partially)(?=[A-Z])/;
/** A denial of trouble: NoErrors, NotDegraded. */
const DENIES_TROUBLE = new RegExp(`^(?:No|Not|Nothing|Without)(?:[A-Z][A-Za-z]*)?${TROUBLES}$`);

const WORKS = new RegExp(
  `(?:^|[a-z0-9])${oneOf(`
    Bootstrapping Configuring Creating Decommissioning Deleting Downgrading Draining Evicting Initiali[sz]ing Installing
    Migrating Pending Progressing Provisioning Rebalancing Rebooting Reconciling Reconfiguring Recovering Replacing
    Resizing Restarting Restoring RollingRestart RollingUpdate Scaling Starting Stopping Syncing Terminating
    Uninstalling Updating Upgrading`)}(?:$|(?=[A-Z]))`,
);
/** Work that may be done, or is switched on. */
const ENDS_AS_RULE = /[a-z](?:Active|Allowed|Done|Limited|Paused|Possible|Required|Supported)$/;
const DENIES_WORK = /^(?:No|None|Not|Nothing|Without)[A-Z]/;

const ENDS_WELL = new RegExp(
  `(?:^|[a-z0-9])${oneOf(`
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
