import type { z } from 'zod';
import type { Claim } from '../claim.ts';
import type { FreshnessByTarget } from '../presentation/server-contact.ts';
import type { actedSchema, fieldChangeSchema, transitionSchema } from './claim.ts';
import type {
  agentsSchema,
  commandsSchema,
  newTokenSchema,
  observationSchema,
  sessionSchema,
  signInLinkSchema,
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
  ribbonSchema,
  serviceSchema,
  servicesSchema,
  wholeRevisionSchema,
} from './history.ts';

/** The server's answers to people, by the schemas that describe them. Types only: a client does not check again. */
type ItemOf<Page extends z.ZodType<{ items: readonly unknown[] }>> = z.infer<Page>['items'][number];

export type ServiceItem = Omit<ItemOf<typeof servicesSchema>, 'claim'> & { readonly claim: Claim };
export type ServiceView = Omit<z.infer<typeof serviceSchema>, 'claim'> & { readonly claim: Claim };
export type AttemptView = z.infer<typeof attemptSchema>;
export type RevisionView = z.infer<typeof revisionSchema>;
export type WholeRevisionView = z.infer<typeof wholeRevisionSchema>;
export type FieldChangeView = z.infer<typeof fieldChangeSchema>;
export type RecoveryView = RevisionView['recoveries'][number];
export type TransitionView = z.infer<typeof transitionSchema>;
export type RibbonView = z.infer<typeof ribbonSchema>;
export type EvidenceView = ItemOf<typeof evidencePageSchema>;
export type InstanceView = ItemOf<typeof instancesSchema>;
export type LeaseView = ItemOf<typeof leasesSchema>;
export type AgentView = ItemOf<typeof agentsSchema>;
export type SpanView = ItemOf<typeof spansSchema>;
export type WorkerView = ItemOf<typeof workersSchema>;
export type CommandView = ItemOf<typeof commandsSchema>;
export type TargetView = z.infer<typeof targetSchema>;
export type ObservationView = z.infer<typeof observationSchema>;
export type TokenView = z.infer<typeof tokenSchema>;
export type SessionView = z.infer<typeof sessionSchema>;
export type SignInLinkView = z.infer<typeof signInLinkSchema>;
export type NewTokenView = z.infer<typeof newTokenSchema>;
export type LogLineView = z.infer<typeof logLineSchema>;

export type ActionAnswer = Omit<z.infer<typeof actedSchema>, 'claim'> & { readonly claim: Claim };

export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor: string | null;
  readonly unreadable?: readonly string[];
}

export interface TransitionEventData extends TransitionView {
  readonly service: string;
  /** The claim after it; null where its records were archived or cannot be read. */
  readonly claim: Claim | null;
}

export interface FreshEventData {
  readonly service?: string;
  readonly now: string;
  readonly targets: FreshnessByTarget;
}
