import { conditionFacts, conditionsOf } from '../conditions.ts';
import { namesTrouble } from '../custom/condition-names.ts';
import { fieldsAt, isFields, isThere, listAt, type ObjectFields, own, textAt } from '../fields.ts';
import { objectIdentity } from '../identity.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import type { KindLadder, LadderContext } from './ladder-context.ts';
import { stillServes } from './still-serves.ts';

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
      () => balancerUnmet(service),
      () => endpointsUnmet(service, context),
    ],
    ready(`type ${type}${outside > 0 ? `, ${outside} outside addresses` : ''}`),
  );
};

/** A load balancer may have an address, and say of a port that it cannot serve it. */
function balancerUnmet(object: ObjectFields): Ruling | null {
  const refused = listAt(object, 'status.loadBalancer.ingress')
    .flatMap((entry) => listAt(entry, 'ports'))
    .find((port) => textAt(port, 'error'));
  if (refused !== undefined)
    return ruling('degraded', 'load_balancer_failed', `a port says ${textAt(refused, 'error')}`);
  const trouble = [...conditionsOf(object).values()].find(
    ({ type, status }) => status === 'True' && namesTrouble(type),
  );
  return trouble === undefined ? null : ruling('degraded', 'load_balancer_failed', conditionFacts(trouble));
}

/** Entries with an address or a name; an empty entry is nothing that anybody can reach. */
function outsideAddresses(object: ObjectFields): number {
  const entries = listAt(object, 'status.loadBalancer.ingress');
  return entries.filter((entry) => textAt(entry, 'ip') || textAt(entry, 'hostname')).length;
}

/**
 * Slices in the input must have a ready endpoint for every port. Their word is as good as that of the pods behind them:
 * copies that nobody knows about make the service unknown, never degraded (F73), and a failed copy is no endpoint.
 */
function endpointsUnmet(service: ObjectFields, context: LadderContext): Ruling | null {
  const spec = own(service, 'spec');
  if (!isFields(spec) || own(spec, 'type') === 'ExternalName') return null;
  const hasSelector = isFields(own(spec, 'selector'));
  const slices = hasSelector ? slicesOf(context) : context.around.slicesNaming(context.identity);
  // Somebody has to make the endpoints of a Service without a selector: nothing else does.
  if (slices.length === 0 && hasSelector) return podsUnmet(service, context);
  if (slices.length === 0)
    return context.around.hasAllSlices
      ? ruling('degraded', 'no_endpoints', 'it has no selector, and no EndpointSlice names it')
      : null;
  const endpoints = slices.flatMap((slice) => {
    const ports = new Set(listAt(slice, 'ports').map(portName));
    return listAt(slice, 'endpoints')
      .map((endpoint) => ({ ports, copy: copyBehind(endpoint, context), endpoint }))
      .filter(({ endpoint, copy }) => !isOfGonePod(endpoint, copy, context));
  });
  const known = endpoints.filter(({ copy }) => copy?.verdict !== 'unknown');
  const usable = known.filter(({ endpoint, copy }) => isOffered(endpoint) && !isDown(copy));
  if (usable.length === 0) {
    const doubt = endpoints.find(({ copy }) => copy?.verdict === 'unknown')?.copy;
    const facts = `none of ${endpoints.length} endpoints is ready`;
    return doubt?.reason
      ? ruling('unknown', doubt.reason, `${facts} for certain: ${doubt.facts}`)
      : ruling('degraded', 'no_endpoints', facts);
  }
  const missing = listAt(service, 'spec.ports')
    .map(portName)
    .filter((name) => !usable.some(({ ports }) => ports.has(name)));
  return missing.length === 0
    ? null
    : ruling(
        'degraded',
        'port_missing',
        `no ready endpoint has the port ${missing.map(shownPort).join(', ')}`,
      );
}

/** By UID; an export without owners leaves the label alone. */
function slicesOf({ around, identity }: LadderContext): readonly ObjectFields[] {
  const controlled = around
    .controlledBy(identity)
    .filter((object) => objectIdentity(object)?.kind === 'EndpointSlice');
  return controlled.length > 0
    ? controlled
    : around.slicesNaming(identity).filter((slice) => !isThere(slice, 'metadata.ownerReferences'));
}

/** More pods of one name are no cluster, and comparing each endpoint with all of them is slow. */
const MOST_PODS = 20;

/** Without slices, the pods that it selects in the input say whether any could answer. */
function podsUnmet(service: ObjectFields, { identity, around, rulingOn }: LadderContext): Ruling | null {
  const selector = fieldsAt(service, 'spec.selector');
  if (Object.keys(selector).length === 0) return null;
  const pods = around.podsWith(identity.namespace, selector);
  if (pods.length === 0 || pods.some(isReadyPod)) return null;
  const facts = `none of the ${pods.length} pods that it selects is ready`;
  const doubt = pods.slice(0, MOST_PODS).flatMap((pod) => {
    const its = objectIdentity(pod);
    const ruled = its === null ? null : rulingOn(pod, its);
    return ruled?.verdict === 'unknown' && ruled.reason !== null ? [ruled] : [];
  })[0];
  return doubt?.reason
    ? ruling('unknown', doubt.reason, `${facts} for certain: ${doubt.facts}`)
    : ruling('degraded', 'no_endpoints', facts);
}

function isReadyPod(pod: ObjectFields): boolean {
  return conditionsOf(pod).get('Ready')?.status === 'True';
}

/** A service with one port may leave its name out; its slices do so too. */
const portName = (port: ObjectFields) => textAt(port, 'name') ?? '';
const shownPort = (name: string) => (name === '' ? 'of the service' : name);

/** Readiness that is not said counts, as the API defines it. `serving` is false of one that is published though not ready. */
function isOffered(endpoint: ObjectFields): boolean {
  const conditions = own(endpoint, 'conditions');
  return (
    !isFields(conditions) || (own(conditions, 'ready') !== false && own(conditions, 'serving') !== false)
  );
}

const isDown = (copy: Ruling | null) =>
  copy !== null && (copy.verdict === 'failed' || copy.verdict === 'degraded') && !stillServes(copy);

/** The ruling on the pod of an endpoint, where it is in the input; linked by UID. */
function copyBehind(endpoint: ObjectFields, { around, rulingOn }: LadderContext): Ruling | null {
  const [name, uid] = [textAt(endpoint, 'targetRef.name'), textAt(endpoint, 'targetRef.uid')];
  if (name === null || uid === null) return null;
  for (const pod of around.named('Pod', name).slice(0, MOST_PODS)) {
    const its = objectIdentity(pod);
    if (its?.uid === uid) return rulingOn(pod, its);
  }
  return null;
}

/** The slice is older than the end of the pod that it names. */
const isOfGonePod = (endpoint: ObjectFields, copy: Ruling | null, { around }: LadderContext): boolean =>
  copy === null && around.hasAllPods && textAt(endpoint, 'targetRef.kind') === 'Pod';

export const judgeIngress: KindLadder = (ingress) => {
  const outside = outsideAddresses(ingress);
  return climb(
    [
      () =>
        outside === 0
          ? ruling('progressing', 'no_address', 'status.loadBalancer.ingress has no address')
          : null,
      () => balancerUnmet(ingress),
    ],
    ready(`${outside} addresses`),
  );
};
