import { type Conditions, conditionFacts, conditionsIn, type ObjectCondition } from '../conditions.ts';
import { namesHealth, namesTrouble } from '../custom/condition-names.ts';
import { countAt, fieldsAt, listAt, type ObjectFields, textAt } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import type { KindLadder } from './ladder-context.ts';

/** Reasons of a condition that is False only because its controller is not done. */
const WAITING: ReadonlySet<string | null> = new Set([
  'Pending',
  'Waiting',
  'AddressNotAssigned',
  'NotReconciled',
]);

/** HTTPRoute, GRPCRoute and the others: each parent says for itself whether it takes the route. */
export const judgeRoute: KindLadder = (route) => judgeTaken(route, 'parents', 'parentRef');

/** Policies of the Gateway API, taken by each gateway above what they are attached to. */
export const judgeGatewayPolicy: KindLadder = (policy) => judgeTaken(policy, 'ancestors', 'ancestorRef');

function judgeTaken(
  route: ObjectFields,
  list: 'parents' | 'ancestors',
  ref: 'parentRef' | 'ancestorRef',
): Ruling {
  const generation = countAt(route, 'metadata.generation');
  const parents = listAt(route, `status.${list}`).map((parent) => ({
    name: parentName(fieldsAt(parent, ref), route),
    conditions: conditionsIn(listAt(parent, 'conditions')),
  }));
  const current = parents.filter(({ conditions }) => isCurrent(conditions, generation));
  const wanted = listAt(route, 'spec.parentRefs').map((ref) => parentName(ref, route));
  const missing = wanted.find((name) => current.every((parent) => parent.name !== name));
  return climb(
    [
      () =>
        parents.length === 0 ? ruling('progressing', 'route_pending', 'no parent has taken it up') : null,
      () =>
        current.length === 0 ? ruling('progressing', 'generation_behind', behindFacts(generation)) : null,
      ...current.map(
        ({ name, conditions }) =>
          () =>
            parentUnmet(`parent ${name}`, conditions) ?? refsUnsaid(`parent ${name}`, conditions),
      ),
      ...current.map(
        ({ name, conditions }) =>
          () =>
            partUnmet(`parent ${name}`, conditions),
      ),
      () =>
        missing === undefined
          ? null
          : ruling('progressing', 'route_pending', `parent ${missing} has not taken it up`),
      ...current.map(
        ({ conditions }) =>
          () =>
            generationUnsaid(conditions, generation),
      ),
      // A policy does not name its gateways: each that speaks of it must speak of this generation.
      () =>
        list === 'parents' || current.length === parents.length
          ? null
          : ruling('progressing', 'generation_behind', behindFacts(generation)),
    ],
    ready(`accepted by ${current.map(({ name }) => name).join(', ')}`),
  );
}

export const judgeGateway: KindLadder = (gateway) => {
  const generation = countAt(gateway, 'metadata.generation');
  const conditions = conditionsIn(listAt(gateway, 'status.conditions'));
  const listeners = listAt(gateway, 'status.listeners').map((listener) => ({
    name: textAt(listener, 'name') ?? '',
    conditions: conditionsIn(listAt(listener, 'conditions')),
  }));
  const proof = conditions.get('Programmed') ?? conditions.get('Ready');
  // Programmed speaks for all listeners; where they speak for themselves, none may be left out.
  const unsaid = listAt(gateway, 'spec.listeners')
    .map((listener) => textAt(listener, 'name') ?? '')
    .find(
      (name) =>
        listeners.length > 0 &&
        !listeners.some((listener) => listener.name === name && listener.conditions.size > 0),
    );
  return climb(
    [
      () =>
        conditions.size === 0
          ? ruling('progressing', 'route_pending', 'no controller has taken it up')
          : null,
      () =>
        isCurrent(conditions, generation)
          ? null
          : ruling('progressing', 'generation_behind', behindFacts(generation)),
      () => parentUnmet('gateway', conditions),
      () =>
        proof?.status === 'True'
          ? null
          : ruling(
              'progressing',
              'route_pending',
              proof === undefined ? 'the condition Programmed is missing' : conditionFacts(proof),
            ),
      ...listeners.map(
        ({ name, conditions: its }) =>
          () =>
            listenerUnmet(`listener ${name}`, its) ??
            (its.size === 0 || isCurrent(its, generation)
              ? null
              : ruling('progressing', 'generation_behind', `listener ${name}: ${behindFacts(generation)}`)),
      ),
      () => partUnmet('gateway', conditions),
      () => generationUnsaid(conditions, generation),
      () =>
        unsaid === undefined
          ? null
          : ruling('progressing', 'route_pending', `nothing is said of listener ${unsaid}`),
    ],
    ready('Accepted and Programmed'),
  );
};

/** A parent is one section of a gateway; without a namespace it is in that of the route. */
function parentName(ref: ObjectFields, route: ObjectFields): string {
  const namespace = textAt(ref, 'namespace') ?? textAt(route, 'metadata.namespace') ?? '';
  const section = textAt(ref, 'sectionName');
  return `${namespace}/${textAt(ref, 'name') ?? ''}${section === null ? '' : `/${section}`}`;
}

/** Accepted must be said; the others count where they are said. */
function parentUnmet(who: string, conditions: Conditions): Ruling | null {
  const [accepted, refs, programmed] = ['Accepted', 'ResolvedRefs', 'Programmed'].map((type) =>
    conditions.get(type),
  );
  // Before 0.6 of the Gateway API, Accepted of a gateway was Scheduled.
  const taken = accepted ?? conditions.get('Scheduled');
  if (refs?.status === 'False') return refused('degraded', 'route_refs', who, refs);
  if (taken === undefined)
    return ruling('progressing', 'route_pending', `${who}: the condition Accepted is missing`);
  if (taken.status === 'False') return refused('failed', 'route_not_accepted', who, taken);
  const waiting = [taken, refs, programmed].find(
    (condition) => condition !== undefined && condition.status !== 'True',
  );
  return waiting === undefined
    ? null
    : ruling('progressing', 'route_pending', `${who}: ${conditionFacts(waiting)}`);
}

/**
 * Rules that are not valid are left out, or kept as they were before: Accepted stays True over both. Controllers have
 * conditions of their own beside those of the Gateway API.
 */
function partUnmet(who: string, conditions: Conditions): Ruling | null {
  const partly = conditions.get('PartiallyInvalid');
  if (partly !== undefined && partly.status !== 'False')
    return ruling('degraded', 'route_part_invalid', `${who}: ${conditionFacts(partly)}`);
  const accepted = conditions.get('Accepted');
  if (accepted?.reason === 'ListenersNotValid')
    return ruling('degraded', 'route_part_invalid', `${who}: ${conditionFacts(accepted)}`);
  const other = [...conditions.values()].find(({ type, status }) =>
    status === 'True' ? namesTrouble(type) : namesHealth(type),
  );
  if (other === undefined) return null;
  const facts = `${who}: ${conditionFacts(other)}`;
  return other.status === 'Unknown' || WAITING.has(other.reason)
    ? ruling('progressing', 'route_pending', facts)
    : ruling('degraded', 'impaired', facts);
}

/** Every controller says of a route whether its references resolve. */
function refsUnsaid(who: string, conditions: Conditions): Ruling | null {
  return conditions.has('ResolvedRefs')
    ? null
    : ruling('progressing', 'route_pending', `${who}: the condition ResolvedRefs is missing`);
}

function listenerUnmet(who: string, conditions: Conditions): Ruling | null {
  const conflicted = conditions.get('Conflicted');
  if (conflicted?.status === 'True')
    return ruling('degraded', 'listener_conflict', `${who}: ${conditionFacts(conflicted)}`);
  const [accepted, refs, programmed] = ['Accepted', 'ResolvedRefs', 'Programmed'].map((type) =>
    conditions.get(type),
  );
  if (refs?.status === 'False') return refused('degraded', 'route_refs', who, refs);
  if (accepted?.status === 'False') return refused('degraded', 'route_not_accepted', who, accepted);
  return programmed === undefined || programmed.status === 'True'
    ? null
    : ruling('progressing', 'route_pending', `${who}: ${conditionFacts(programmed)}`);
}

function refused(
  verdict: 'degraded' | 'failed',
  reason: 'route_refs' | 'route_not_accepted',
  who: string,
  condition: ObjectCondition,
): Ruling {
  const facts = `${who}: ${conditionFacts(condition)}`;
  return WAITING.has(condition.reason)
    ? ruling('progressing', 'route_pending', facts)
    : ruling(verdict, reason, facts);
}

/** Conditions that name a generation must name this one. Old controllers name none. */
function isCurrent(conditions: Conditions, generation: number | null): boolean {
  const observed = [...conditions.values()]
    .map((condition) => condition.observedGeneration)
    .filter((seen) => seen !== null);
  if (conditions.size === 0) return false;
  return generation === null || observed.every((seen) => seen === generation);
}

/** Where no condition names a generation, nothing but the first one is proven. */
function generationUnsaid(conditions: Conditions, generation: number | null): Ruling | null {
  const isSaid = [...conditions.values()].some(({ observedGeneration }) => observedGeneration !== null);
  return isSaid || (generation ?? 0) <= 1
    ? null
    : ruling('progressing', 'generation_behind', behindFacts(generation));
}

const behindFacts = (generation: number | null) => `no status for generation ${generation ?? 'unknown'}`;

/** GatewayClass: a controller accepts it, or not. */
export const judgeGatewayClass: KindLadder = (object: ObjectFields) => {
  const generation = countAt(object, 'metadata.generation');
  const conditions = conditionsIn(listAt(object, 'status.conditions'));
  const [accepted, version] = ['Accepted', 'SupportedVersion'].map((type) => conditions.get(type));
  return climb(
    [
      () =>
        accepted === undefined
          ? ruling('progressing', 'route_pending', 'the condition Accepted is missing')
          : null,
      () =>
        isCurrent(conditions, generation)
          ? null
          : ruling('progressing', 'generation_behind', behindFacts(generation)),
      () =>
        accepted?.status === 'False' ? refused('failed', 'route_not_accepted', 'class', accepted) : null,
      () =>
        accepted?.status === 'True' ? null : ruling('progressing', 'route_pending', 'Accepted is not True'),
      () =>
        version === undefined || version.status === 'True'
          ? null
          : ruling('degraded', 'impaired', `class: ${conditionFacts(version)}`),
    ],
    ready('Accepted=True'),
  );
};
