/**
 * The imperative of each action, which ends a user's sentence: "Your move: …". Apart from the rest of an action
 * (`ACTIONS`), which a list of services does not need and would have to load.
 */
export const ASKS = {
  deploy: 'fix it and deploy again',
  redeploy: 'deploy what should run, or restart what is on record; either replaces what was seen',
  retry: 'retry',
  restart: 'restart it, or roll back',
  rollback: 'roll back to an earlier revision',
  cancel: 'cancel it',
  teardown: 'tear it down again',
  mend_there: 'fix it with the tool that deploys it',
  deploy_elsewhere: 'deploy it to another target, or with the tool that deploys to this one',
  resume_rollout: 'resume its rollout',
  raise_quota: 'raise the quota or ask for less, then retry',
  renew_certificate: 'renew the certificate',
  start_worker: 'bring a builder online',
  prepare_builder: 'fix the builder, then retry',
  start_agent: 'bring the target back online',
  restart_agent: 'get the target to see again',
  grant_access: 'allow us to look at the target',
  check_runtime: 'bring back what it runs on',
  check_registry: 'make the image registry reachable, then retry',
  check_policy: 'review the rules of the target, then retry',
  check_storage: 'provide the storage',
  check_gate: 'look at what sets its readiness gate',
  add_capacity: 'make room on the target',
  confirm_target: 'bring the former place back, or retire it if it is no more',
  investigate: 'look at the evidence',
} as const;
