import { ledger } from './0001-ledger.ts';
import { checkpoints } from './0002-checkpoints.ts';
import { incarnation } from './0003-incarnation.ts';
import { tokens } from './0004-tokens.ts';
import { retention } from './0005-retention.ts';
import { plans } from './0006-plans.ts';
import { artifactBytes } from './0007-bytes.ts';
import { administration } from './0008-administration.ts';
import { requests } from './0009-requests.ts';
import { settingsAndRefusals } from './0010-settings-and-refusals.ts';
import { refusalsInOrder } from './0011-refusals-in-order.ts';
import { filesOfServers } from './0012-files-of-servers.ts';
import { rejectionQuota } from './0013-rejection-quota.ts';
import { derivedRevisions } from './0014-derived-revisions.ts';
import { places } from './0015-places.ts';
import { observation } from './0016-observation.ts';
import { declaredFields } from './0017-declared-fields.ts';
import { scopeOfService } from './0018-scope-of-service.ts';
import { defaultNamespace } from './0019-default-namespace.ts';
import { agentNotes } from './0020-agent-notes.ts';
import { byAttention } from './0021-by-attention.ts';
import { leaseSweeps } from './0022-lease-sweeps.ts';
import { servicesFoundApart } from './0023-services-found-apart.ts';
import { webhooks } from './0024-webhooks.ts';
import type { Migration } from './types.ts';

/** The migrations in order. A released migration is never edited, only followed by another. */
export const MIGRATIONS: readonly Migration[] = [
  ledger,
  checkpoints,
  incarnation,
  tokens,
  retention,
  plans,
  artifactBytes,
  administration,
  requests,
  settingsAndRefusals,
  refusalsInOrder,
  filesOfServers,
  rejectionQuota,
  derivedRevisions,
  places,
  observation,
  declaredFields,
  scopeOfService,
  defaultNamespace,
  agentNotes,
  byAttention,
  leaseSweeps,
  servicesFoundApart,
  webhooks,
];
