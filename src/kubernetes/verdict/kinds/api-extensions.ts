import { conditionFacts, conditionsOf } from '../conditions.ts';
import { textAt } from '../fields.ts';
import { climb } from '../ladder.ts';
import { ready, ruling } from '../verdict.ts';
import type { KindLadder } from './ladder-context.ts';

export const judgeDefinition: KindLadder = (definition) => {
  const conditions = conditionsOf(definition);
  const [names, established, schema, terminating] = [
    'NamesAccepted',
    'Established',
    'NonStructuralSchema',
    'Terminating',
  ].map((type) => conditions.get(type));
  return climb(
    [
      () =>
        conditions.size === 0 ? ruling('progressing', 'not_observed', 'it has no conditions yet') : null,
      () =>
        terminating?.status === 'True'
          ? ruling('progressing', 'being_deleted', conditionFacts(terminating))
          : null,
      () => (names?.status === 'False' ? ruling('failed', 'names_refused', conditionFacts(names)) : null),
      () =>
        established?.status === 'False' &&
        established.reason !== 'Installing' &&
        established.reason !== 'NotAccepted'
          ? ruling('failed', 'not_established', conditionFacts(established))
          : null,
      () =>
        established?.status === 'True'
          ? null
          : ruling(
              'progressing',
              'not_established',
              established === undefined
                ? 'the condition Established is missing'
                : conditionFacts(established),
            ),
      () => (schema?.status === 'True' ? ruling('degraded', 'schema_invalid', conditionFacts(schema)) : null),
      () =>
        names?.status === 'True'
          ? null
          : ruling('progressing', 'not_established', 'NamesAccepted is not True'),
    ],
    ready('Established=True'),
  );
};

/** Reasons of Available=False with which the API server says that it could not look. */
const NOT_SEEN: ReadonlySet<string | null> = new Set(['ServiceAccessError', 'EndpointsAccessError']);
/** A server that is just being started has no endpoints yet. */
const FRESH_MS = 2 * 60_000;

export const judgeApiService: KindLadder = (service, { now }) => {
  const available = conditionsOf(service).get('Available');
  const created = Date.parse(textAt(service, 'metadata.creationTimestamp') ?? '');
  return climb(
    [
      () =>
        available === undefined
          ? ruling('progressing', 'not_observed', 'the condition Available is missing')
          : null,
      () =>
        available?.status === 'False'
          ? ruling(
              NOT_SEEN.has(available.reason)
                ? 'unknown'
                : now - created < FRESH_MS
                  ? 'progressing'
                  : 'failed',
              'api_unavailable',
              conditionFacts(available),
            )
          : null,
      () =>
        available?.status === 'Unknown'
          ? ruling('unknown', 'api_unavailable', conditionFacts(available))
          : null,
    ],
    ready('Available=True'),
  );
};
