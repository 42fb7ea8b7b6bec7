import type { z } from 'zod';
import type { Claim } from '../claim.ts';
import type { Stamp } from '../intent.ts';
import type { Freshness } from '../presentation/server-contact.ts';
import type { transitionSchema } from './claim.ts';
import type {
  agentsSchema,
  commandsSchema,
  newTokenSchema,
  spansSchema,
  targetSchema,
  tokenSchema,
  workersSchema,
} from './fleet.ts';
import type {
  attemptSchema,
  evidencePageSchema,
  instancesSchema,
  leasesSchema,
  logLineSchema,
  revisionSchema,
  serviceSchema,
  servicesSchema,
} from './history.ts';

/** The server's answers to people, by the schemas that describe them. Types only: a client does not check again. */
type Item<Page extends z.ZodType<{ items: readonly unknown[] }>> = z.infer<Page>['items'][number];

export type ServiceItem = Omit<Item<typeof servicesSchema>, 'claim'> & { readonly claim: Claim };
export type ServiceView = Omit<z.infer<typeof serviceSchema>, 'claim'> & { readonly claim: Claim };
export type AttemptView = z.infer<typeof attemptSchema>;
export type RevisionView = z.infer<typeof revisionSchema>;
export type RecoveryView = RevisionView['recoveries'][number];
export type TransitionView = z.infer<typeof transitionSchema>;
export type EvidenceView = Item<typeof evidencePageSchema>;
export type InstanceView = Item<typeof instancesSchema>;
export type LeaseView = Item<typeof leasesSchema>;
export type AgentView = Item<typeof agentsSchema>;
export type SpanView = Item<typeof spansSchema>;
export type WorkerView = Item<typeof workersSchema>;
export type CommandView = Item<typeof commandsSchema>;
export type TargetView = z.infer<typeof targetSchema>;
export type TokenView = z.infer<typeof tokenSchema>;
export type NewToken = z.infer<typeof newTokenSchema>;
export type LogLine = z.infer<typeof logLineSchema>;

export interface Acted extends Stamp {
  readonly service: string;
  readonly claim: Claim;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor: string | null;
  readonly unreadable?: readonly string[];
}

export interface TransitionEvent extends TransitionView {
  readonly service: string;
  /** The claim after it; null where the past no longer tells. */
  readonly claim: Claim | null;
}

export interface FreshEvent {
  readonly service?: string;
  readonly now: string;
  readonly targets: Freshness;
}
