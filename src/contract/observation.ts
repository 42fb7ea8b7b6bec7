import { z } from 'zod';
import { parseSelector } from './label-selector.ts';

const NAMESPACE = /^(?:\*|[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)$/;

/** The request for a rule: everything that other tools deploy there, in these namespaces, is a service in observe mode. */
export const observationRequestSchema = z.object({
  namespaces: z
    .array(z.string().regex(NAMESPACE, 'the name of a namespace, or * for all'))
    .min(1)
    .max(1_000)
    .default(['*']),
  selector: z
    .string()
    .max(500)
    .refine((text) => parseSelector(text) !== null, 'labels, such as app=web,tier!=cache')
    .nullish(),
  /** Lets the agent send requests to the apps themselves; without it none is sent. */
  ask: z.boolean().optional(),
});
export type ObservationRequest = z.infer<typeof observationRequestSchema>;

/**
 * The rule of a target. Its version grows with every change, so that a report says which rule it follows: what a changed
 * rule no longer covers is not gone, only no longer observed.
 */
export interface ObservationRule {
  readonly version: number;
  /** Null: nothing is observed any more. */
  readonly namespaces: readonly string[] | null;
  readonly selector: string | null;
  /** The agent may send requests to the apps; absent in rules of before: it may not. */
  readonly ask?: boolean;
  readonly since: number;
  readonly actor: string;
}

/** The rule as an agent gets it, with each answer; null where nothing is observed. */
export const observationAnswerSchema = z
  .object({
    version: z.int().min(1),
    namespaces: z.array(z.string()),
    selector: z.string().nullable(),
    /** The agent may send requests to the apps; absent: it may not. */
    ask: z.boolean().optional(),
  })
  .nullable();
export type ObservationAnswer = z.infer<typeof observationAnswerSchema>;

export function observationAnswer(rule: ObservationRule | null): ObservationAnswer {
  if (rule === null || rule.namespaces === null) return null;
  const { version, namespaces, selector, ask = false } = rule;
  return { version, namespaces: [...namespaces], selector, ask };
}

/** The kinds that are services of their own in observe mode. */
const WORKLOAD_KINDS = ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'ReplicaSet', 'Pod'] as const;

/** The object in the cluster that a service in observe mode stands for. */
export const workloadSchema = z.object({
  kind: z.enum(WORKLOAD_KINDS),
  namespace: z.string().max(63),
  name: z.string().max(253),
  uid: z.string().min(1).max(200),
  /** Argo CD, Flux, Helm, or the field manager that set the template. */
  managedBy: z.string().max(200).nullish(),
  /** The commit and the release that those left on it. */
  commit: z.string().max(200).nullish(),
  release: z.string().max(200).nullish(),
  /** Whoever wrote its template last, by the name under which the cluster records writers. */
  fieldManager: z.string().max(200).nullish(),
  /** The images that its template names. */
  images: z
    .array(z.object({ container: z.string().max(253), image: z.string().max(512) }))
    .max(20)
    .nullish(),
});
export type Workload = z.infer<typeof workloadSchema>;

/**
 * An event of the cluster that warns of something: a fact for operators. It may name the cause of what is not ready,
 * and never makes anything ready (F72). `at` is kept for a minute, so that one that repeats is no news each time.
 */
export const warningSchema = z.object({
  /** The kind and name of the object that it is about. */
  about: z.string().max(300),
  reason: z.string().max(100),
  message: z.string().max(300).nullish(),
  at: z.iso.datetime({ offset: true }).nullish().catch(null),
  /** The number of objects that the cluster warned of for this reason, if several: `about` names the first. */
  objects: z.int().min(2).max(1_000_000).nullish().catch(null),
});
export type ClusterWarning = z.infer<typeof warningSchema>;
/** The newest are reported. */
export const WARNINGS = 5;

/** Two reports are about the same workload, though it may have been created anew between them. */
export const isSameWorkload = (a: Workload, b: Workload): boolean =>
  a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
