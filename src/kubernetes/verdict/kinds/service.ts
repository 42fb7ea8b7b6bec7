import { isFields, listAt, type ObjectFields, own, textAt } from '../fields.ts';
import { objectIdentity } from '../identity.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import type { KindLadder, LadderContext } from './ladder-context.ts';

export const judgeService: KindLadder = (service, context) => {
  const type = textAt(service, 'spec.type') ?? 'ClusterIP';
  const address = textAt(service, 'spec.clusterIP');
  const outside = outsideAddresses(service);
  return climb(
    [
      () =>
        ['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'].includes(type)
          ? null
          : ruling('unknown', { word: type }, `type ${type}`),
      () =>
        type === 'ExternalName' && !textAt(service, 'spec.externalName')
          ? ruling('unknown', 'no_address', 'spec.externalName is missing')
          : null,
      () =>
        type !== 'ExternalName' && !address
          ? ruling('progressing', 'no_address', 'spec.clusterIP is not assigned')
          : null,
      () =>
        type === 'LoadBalancer' && outside === 0
          ? ruling('progressing', 'no_address', 'no load balancer is assigned')
          : null,
      () => endpointsUnmet(service, context),
    ],
    ready(`type ${type}${outside > 0 ? `, ${outside} outside addresses` : ''}`),
  );
};

/** Entries with an address or a name; an empty entry is nothing that anybody can reach. */
function outsideAddresses(object: ObjectFields): number {
  const entries = listAt(object, 'status.loadBalancer.ingress');
  return entries.filter((entry) => textAt(entry, 'ip') || textAt(entry, 'hostname')).length;
}

/** Nothing answers behind a service whose slices are in the input and have no ready endpoint. */
function endpointsUnmet(service: ObjectFields, { identity, around }: LadderContext): Ruling | null {
  if (!isFields(own(service, 'spec')) || !isFields((own(service, 'spec') as ObjectFields).selector))
    return null;
  const slices = around
    .controlledBy(identity)
    .filter((object) => objectIdentity(object)?.kind === 'EndpointSlice');
  if (slices.length === 0) return null;
  const endpoints = slices.flatMap((slice) => listAt(slice, 'endpoints'));
  // An endpoint whose readiness is not said counts as ready, as the API defines it.
  const isUsable = (endpoint: ObjectFields) => {
    const conditions = own(endpoint, 'conditions');
    return !isFields(conditions) || own(conditions, 'ready') !== false;
  };
  if (endpoints.some(isUsable)) return null;
  return ruling('degraded', 'no_endpoints', `none of ${endpoints.length} endpoints is ready`);
}

export const judgeIngress: KindLadder = (ingress) => {
  const outside = outsideAddresses(ingress);
  return outside === 0
    ? ruling('progressing', 'no_address', 'condition 1 of 1: status.loadBalancer.ingress has no address')
    : ready(`${outside} addresses`);
};
