import type { InstanceView } from '../../../../src/contract/answers/views.ts';
import { targetOf } from '../../../../src/contract/names.ts';
import { isLastKnown } from '../../../../src/contract/presentation/instance-age.ts';
import { serverNowOf } from '../../../../src/contract/presentation/server-contact.ts';
import { ago } from '../../../../src/contract/presentation/times.ts';
import { witness } from '../../../../src/contract/presentation/workload.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import type { DatedClaim } from './dated-claim.ts';

interface Props {
  readonly instances: readonly InstanceView[] | null;
  /** When they were read, by the steady clock; infinite for the past, where ages stand still. */
  readonly readAt: number;
  /** The listed instances are not yet those of the shown instant. */
  readonly isReading: boolean;
  readonly dated: DatedClaim;
  readonly claimView: ClaimView;
  readonly isOperator: boolean;
  /** In observe mode pods have the hash of a template in place of a revision: the active revision has this one. */
  readonly template: string | null;
}

/** The observed facts of each instance, with their age; nothing is concluded here. */
export function Instances({
  instances,
  readAt,
  isReading,
  dated,
  claimView,
  isOperator,
  template: current,
}: Props) {
  if (instances === null || instances.length === 0) return null;
  const serverNow = serverNowOf(dated.contact, dated.now);
  // A report without changes renews all instances, but none beyond the time at which they were read here.
  const renewed =
    claimView.ageMs === null || claimView.state === 'unknown'
      ? Number.POSITIVE_INFINITY
      : Math.max(claimView.ageMs, dated.now - readAt);
  // The claim says when something is wrong with what the target reports; else each report of it renews the rows.
  const renewedUntil = Date.parse(
    dated.contact.fresh[targetOf(dated.claim.service)]?.validUntil ?? '1970-01-01',
  );
  const isOld = (validUntil: string | null) =>
    claimView.state === 'unknown' || isLastKnown({ validUntil }, serverNow, renewedUntil);
  const observedAgo = (asOf: string) => Math.min(serverNow - Date.parse(asOf), renewed);
  const isOfCluster = instances.some(({ saidBy, template }) => saidBy != null || template !== null);
  const revisionOf = ({ revision, attempt, template }: InstanceView) => {
    if (revision != null) return `r${revision}.${attempt ?? '–'}`;
    if (template === null) return '–';
    return template === current ? `r${dated.claim.desired.revision}` : `other (${template})`;
  };
  return (
    <section
      className="card scroll"
      aria-label="Instances"
      aria-busy={isReading}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
      tabIndex={0}
    >
      <h2>Instances</h2>
      <table className="instances">
        <thead>
          <tr>
            <th scope="col">Instance</th>
            <th scope="col">Revision</th>
            <th scope="col">Phase</th>
            <th scope="col">Ready</th>
            <th scope="col">Restarts</th>
            <th scope="col">Reason</th>
            {isOperator && <th scope="col">Node</th>}
            {isOfCluster && <th scope="col">On the word of</th>}
            <th scope="col" className="age">
              Seen
            </th>
          </tr>
        </thead>
        <tbody>
          {instances.map((instance) => {
            const { uid, name, phase, ready, restarts, reason, message, node, asOf } = instance;
            const isLast = isOld(instance.validUntil);
            return (
              <tr key={uid}>
                <th scope="row" className="mono">
                  {name}
                </th>
                <td className="mono">{revisionOf(instance)}</td>
                <td>{isLast ? `last known: ${phase}` : phase}</td>
                <td data-label="ready">{isLast ? 'not known' : ready ? 'yes' : 'no'}</td>
                <td data-label="restarts">{restarts}</td>
                <td data-label="reason">
                  {reason?.replaceAll('_', ' ') ?? '–'}
                  {message && <span className="soft"> {message}</span>}
                </td>
                {isOperator && <td data-label="node">{node ?? '–'}</td>}
                {isOfCluster && <td data-label="on the word of">{witness(instance) ?? 'nobody'}</td>}
                <td className="age" data-label="seen">
                  {ago(observedAgo(asOf))}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
