import type { ServiceAction } from '../../../../../src/contract/actions.ts';

export const ACTION_LABELS: Readonly<Record<ServiceAction, string>> = {
  retry: 'Retry',
  rollback: 'Roll back',
  restart: 'Restart',
  scale: 'Scale',
  cancel: 'Cancel',
  teardown: 'Tear down',
};

/** The label of a teardown of what another tool manages. */
export const OFF_LISTS_LABEL = 'Take off the lists';
