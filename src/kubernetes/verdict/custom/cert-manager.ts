import { conditionFacts, conditionsOf } from '../conditions.ts';
import { countAt, type ObjectFields, textAt } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import type { CustomFamily } from './family.ts';
import { type PhaseTable, phaseUnmet, timeAt } from './reading.ts';

/** Ready was true when it was written. The times in the status say whether it still can be. */
function judgeCertificate(object: ObjectFields, now: number): Ruling | null {
  const conditions = conditionsOf(object);
  const [issuing, isReady] = [conditions.get('Issuing'), conditions.get('Ready')?.status === 'True'];
  const [end, renewal] = [timeAt(object, 'status.notAfter'), timeAt(object, 'status.renewalTime')];
  if (end !== null && end <= now)
    return ruling('failed', 'certificate_expired', `status.notAfter ${textAt(object, 'status.notAfter')}`);
  if (issuing?.status === 'True')
    return ruling('progressing', isReady ? 'reconciling' : 'certificate_pending', conditionFacts(issuing));
  if (isReady && renewal !== null && renewal <= now)
    return ruling(
      'degraded',
      'certificate_expiring',
      `status.renewalTime ${textAt(object, 'status.renewalTime')}`,
    );
  const begin = timeAt(object, 'status.notBefore');
  if (isReady && begin !== null && begin > now)
    return ruling('progressing', 'not_yet_ready', `status.notBefore ${textAt(object, 'status.notBefore')}`);
  const failures = countAt(object, 'status.failedIssuanceAttempts') ?? 0;
  if (isReady && failures > 0) return ruling('degraded', 'impaired', `its renewal failed ${failures} times`);
  if (issuing?.status === 'False' && issuing.reason === 'Failed')
    return isReady
      ? ruling('degraded', 'impaired', conditionFacts(issuing))
      : ruling('failed', 'reconcile_failed', conditionFacts(issuing));
  return null;
}

function judgeRequest(object: ObjectFields): Ruling | null {
  const conditions = conditionsOf(object);
  const proof = conditions.get('Ready');
  const refused = ['Denied', 'InvalidRequest']
    .map((type) => conditions.get(type))
    .find((condition) => condition?.status === 'True');
  if (refused !== undefined) return ruling('failed', 'certificate_denied', conditionFacts(refused));
  if (proof === undefined)
    return ruling('progressing', 'certificate_pending', 'the condition Ready is missing');
  if (proof.status === 'False' && proof.reason === 'Pending')
    return ruling('progressing', 'certificate_pending', conditionFacts(proof));
  return proof.status === 'True' && !textAt(object, 'status.certificate')
    ? ruling('unknown', 'contradictory', 'Ready=True, and status.certificate is missing')
    : null;
}

/** An issuer that cannot register or read its keys says so by a reason that begins with Err. */
function judgeIssuer(object: ObjectFields): Ruling | null {
  const proof = conditionsOf(object).get('Ready');
  return proof?.status === 'False' && proof.reason?.startsWith('Err')
    ? ruling('failed', 'reconcile_failed', conditionFacts(proof))
    : null;
}

const STATES: PhaseTable = {
  valid: 'met',
  pending: ['progressing', 'certificate_pending'],
  processing: ['progressing', 'certificate_pending'],
  ready: ['progressing', 'certificate_pending'],
  invalid: ['failed', 'certificate_denied'],
  expired: ['failed', 'certificate_denied'],
  errored: ['failed', 'certificate_denied'],
};

/** Orders and challenges of ACME have a state and no conditions. */
const judgeAcme = (object: ObjectFields) =>
  climb([() => phaseUnmet(object, 'status.state', STATES)], ready('state valid', 'ended'));

export const CERT_MANAGER: readonly CustomFamily[] = [
  { group: 'cert-manager.io', kinds: ['Certificate'], judge: judgeCertificate },
  { group: 'cert-manager.io', kinds: ['CertificateRequest'], judge: judgeRequest },
  { group: 'cert-manager.io', kinds: ['Issuer', 'ClusterIssuer'], judge: judgeIssuer },
  { group: 'acme.cert-manager.io', kinds: ['Order', 'Challenge'], judge: judgeAcme },
];
