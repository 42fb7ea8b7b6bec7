import type { ServiceAction } from '../../../../../src/contract/actions.ts';

export const ACTION_LABELS: Readonly<Record<ServiceAction, string>> = {
  retry: 'Retry',
  rollback: 'Roll back',
  restart: 'Restart',
  scale: 'Scale',
  cancel: 'Cancel',
  teardown: 'Tear down',
};
