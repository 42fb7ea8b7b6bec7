import { conditionFacts, conditionsOf } from '../conditions.ts';
import { listAt, type ObjectFields, textAt } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import type { CustomFamily } from './family.ts';
import { observedUnmet } from './reading.ts';

/**
 * Istio writes a status only where it is told to. Without one nothing says that a proxy took the object up, so that the
 * common conditions find it unknown.
 */
function judgeConfiguration(object: ObjectFields): Ruling | null {
  const conditions = conditionsOf(object);
  const reconciled = conditions.get('Reconciled');
  const refused = [...conditions.values()].find(
    ({ type, status }) => type.startsWith('istio.io/') && status === 'False',
  );
  const error = listAt(object, 'status.validationMessages').find(
    (message) => textAt(message, 'level')?.toUpperCase() === 'ERROR',
  );
  if (reconciled === undefined && refused === undefined && error === undefined) return null;
  return climb(
    [
      () => observedUnmet(object),
      () =>
        error === undefined
          ? null
          : ruling(
              'failed',
              'reconcile_failed',
              `validation: ${textAt(error, 'documentationUrl') ?? 'ERROR'}`,
            ),
      () => (refused === undefined ? null : ruling('failed', 'reconcile_failed', conditionFacts(refused))),
      () =>
        reconciled?.status === 'True' ? null : ruling('progressing', 'reconciling', 'Reconciled is not True'),
    ],
    ready('Reconciled=True'),
  );
}

const KINDS: Readonly<Record<string, readonly string[]>> = {
  'extensions.istio.io': ['WasmPlugin'],
  'networking.istio.io': [
    'DestinationRule',
    'EnvoyFilter',
    'Gateway',
    'ProxyConfig',
    'ServiceEntry',
    'Sidecar',
    'VirtualService',
    'WorkloadGroup',
  ],
  'security.istio.io': ['AuthorizationPolicy', 'PeerAuthentication', 'RequestAuthentication'],
  'telemetry.istio.io': ['Telemetry'],
};

export const ISTIO: readonly CustomFamily[] = Object.entries(KINDS).map(([group, kinds]) => ({
  group,
  kinds,
  judge: judgeConfiguration,
}));
