import { registrationSchema } from '../../contract/report.ts';
import { soundOrAbsent } from '../../evidence/report/scope.ts';
import { rfc3339 } from '../../projection/instant.ts';
import type { ServerContext } from '../context.ts';
import { registerAgent, representedTarget, takeReport } from '../routes/agents.ts';
import type { GraphqlCall } from './call.ts';
import { given } from './given.ts';

/** Each list is a scope of its own, with its own sequence. */
const PODS = 'pods';
const DEPLOYMENTS = 'deployments';

interface ListInput {
  readonly target: string;
  readonly epoch: string;
  readonly seq: string;
  readonly complete: boolean;
  readonly watchAgeMs?: number | null;
  readonly heard?: string | null;
  readonly heardAgoMs?: number | null;
}
interface PodsInput extends ListInput {
  readonly podStatuses: readonly { readonly containers?: readonly object[] | null }[];
}
interface DeploymentsInput extends ListInput {
  readonly deploymentStatuses: readonly object[];
}
interface RegisterInput {
  readonly target: string;
  readonly agent: string;
  readonly instance: string;
  readonly version?: string | null;
  readonly identity: string;
}

/**
 * An agent that speaks nothing but GraphQL: it registers, and then sends two full lists again and again. Both are the
 * reports of HTTP.
 */
export function agentMutations(context: ServerContext) {
  const { host } = context;
  return {
    registerAgent: (
      _root: unknown,
      { input }: { readonly input: RegisterInput },
      { caller }: GraphqlCall,
    ) => {
      const { target, ...registration } = given(input);
      return registerAgent(context, caller, target, registrationSchema.parse(registration));
    },
    reportPodStatuses: (
      _root: unknown,
      { input }: { readonly input: PodsInput },
      { caller }: GraphqlCall,
    ) => {
      const { target, podStatuses, ...head } = given(input);
      const instances = podStatuses.map((pod) => {
        const { containers, ...rest } = given(pod);
        return { ...rest, ...(containers && { containers: containers.map(given) }) };
      });
      return takeReport(context, caller, representedTarget(caller, target), {
        ...head,
        scope: PODS,
        instances,
        services: [],
      });
    },
    reportDeploymentStatuses: async (
      _root: unknown,
      { input }: { readonly input: DeploymentsInput },
      { caller }: GraphqlCall,
    ) => {
      const { target, deploymentStatuses, ...head } = given(input);
      const seenAt = await podsAsOf(host, caller.org, representedTarget(caller, target), input.epoch);
      const { heard, heardAgoMs = 0 } = head;
      const heardAt = heard === undefined ? Number.POSITIVE_INFINITY : Date.parse(heard) + heardAgoMs;
      return takeReport(context, caller, target, {
        ...head,
        ...{ heard: rfc3339(Math.min(heardAt, seenAt)), heardAgoMs: 0 },
        ...{ scope: DEPLOYMENTS, instances: [], services: deploymentStatuses.map(given) },
      });
    },
  };
}

/**
 * When the pods of this epoch were last seen, which is as young as its list of deployments can be. That list shows no
 * instance because none can stand in it: younger than the list of pods, it would prove instances gone that nobody looked
 * for, and keep a service fresh whose pods nobody sees (S1, S2). A list of deployments without one of pods proves nothing.
 * Rejected: a list of deployments that is never complete; what it no longer names would stay for ever.
 */
async function podsAsOf(
  { store }: ServerContext['host'],
  org: string,
  target: string,
  epoch: string,
): Promise<number> {
  const [row, now] = await store.read(async (tx) => [
    await tx.get('scopes', { org, target, scope: PODS }),
    await tx.now(),
  ]);
  const scope = soundOrAbsent(row, now);
  return scope === undefined || scope.epoch !== epoch ? 0 : scope.asOf;
}
