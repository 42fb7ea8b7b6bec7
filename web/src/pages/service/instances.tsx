import { exitSpan } from '../../../../src/contract/presentation/exit-count.ts';
import '../../styles/instances.css';
import { useState } from 'react';
import type { InstanceView } from '../../../../src/contract/answers/views.ts';
import { targetOf } from '../../../../src/contract/names.ts';
import { isLastKnown } from '../../../../src/contract/presentation/instance-age.ts';
import { worstFirst } from '../../../../src/contract/presentation/instance-order.ts';
import { serverNowOf } from '../../../../src/contract/presentation/server-contact.ts';
import { ago, before, clockTime, dayBefore } from '../../../../src/contract/presentation/times.ts';
import { processWitness, witness } from '../../../../src/contract/presentation/workload.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import { Icon } from '../../parts/icon.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Containers, readyContainers } from './containers.tsx';
import type { DatedClaim } from './dated-claim.ts';
import { InstanceState } from './instance-state.tsx';

interface Props {
  readonly instances: readonly InstanceView[] | null;
  /** When they were read, by the steady clock; infinite for the past, where ages stand still. */
  readonly readAt: number;
  /** The listed instances are not yet those of the shown instant. */
  readonly isReading: boolean;
  readonly dated: DatedClaim;
  readonly claimView: ClaimView;
  readonly isOperator: boolean;
  /** Earlier revisions whose copies count for the active one. */
  readonly kept: ReadonlySet<number>;
  /** The active revision answers at a port, so that each of its processes is asked. */
  readonly isAsked: boolean;
  /** In observe mode pods have the hash of a template in place of a revision: the active revision has this one. */
  readonly template: string | null;
}

/** The observed facts of each instance, the worst first, with their age; nothing is concluded here. */
export function Instances(props: Props) {
  const {
    instances,
    readAt,
    isReading,
    dated,
    claimView,
    isOperator,
    kept,
    isAsked,
    template: current,
  } = props;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  if (instances === null || instances.length === 0) return null;
  const isPast = dated.at !== null;
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
  const hasNodes = isOperator && instances.some(({ node }) => node != null);
  const hasContainers = instances.some(({ containers }) => containers.length > 0);
  const revisionOf = ({ revision, attempt, template }: InstanceView) => {
    if (revision != null && kept.has(revision))
      return `r${dated.claim.desired.revision}, kept from r${revision}`;
    if (revision != null) return attempt != null && attempt > 1 ? `r${revision}.${attempt}` : `r${revision}`;
    if (template === null) return '–';
    return template === current ? `r${dated.claim.desired.revision}` : 'an earlier one';
  };
  const isGivenUp = ({ revision, template, phase }: InstanceView) =>
    (claimView.state === 'failed' || (claimView.state === 'degraded' && phase === 'running')) &&
    (revision === null
      ? template !== null && template === current
      : revision === dated.claim.desired.revision);
  const isOfActive = ({ revision }: InstanceView) =>
    revision === dated.claim.desired.revision || (revision !== null && kept.has(revision));
  const toggle = (uid: string) => {
    const next = new Set(open);
    if (!next.delete(uid)) next.add(uid);
    setOpen(next);
  };
  // A sentence in a column among nine others would be as high as a paragraph: it has a line of its own.
  const most = hasContainers || hasNodes ? NARROW_LETTERS : WIDE_LETTERS;
  const areLong = instances.some(({ reason, message }) => `${reason ?? ''} ${message ?? ''}`.length > most);
  const hasReasons = !areLong && instances.some(({ reason, message }) => reason || message);
  const columns = 7 + Number(hasReasons) + Number(hasContainers) + Number(hasNodes);
  const vouchedBy = (instance: InstanceView) =>
    isOfCluster ? (witness(instance) ?? 'nobody') : processWitness(instance, isAsked && isOfActive(instance));
  const isAllOld = instances.every(({ validUntil }) => isOld(validUntil));
  return (
    <section
      className="card scroll"
      aria-label="Instances"
      aria-busy={isReading}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
      tabIndex={0}
    >
      <h2>
        {isOfCluster ? 'Pods' : 'Processes'}{' '}
        <span className="soft">
          {isPast ? 'as seen then' : isAllOld ? 'as last seen; they may have gone since' : ''}
        </span>
      </h2>
      <table className="instances">
        <thead>
          <tr>
            <th scope="col">{isOfCluster ? 'Pod' : 'Process'}</th>
            <th scope="col">Revision</th>
            <th scope="col">State</th>
            {hasContainers && <th scope="col">Containers</th>}
            <th scope="col">Exits</th>
            {hasReasons && <th scope="col">Reason</th>}
            {hasNodes && <th scope="col">Node</th>}
            <th scope="col">Started</th>
            <th scope="col">Vouched by</th>
            <th scope="col" className="age">
              Seen
            </th>
          </tr>
        </thead>
        <tbody>
          {worstFirst(instances).flatMap((instance) => {
            const { uid, name, reason, message, node, asOf, containers, startedAt } = instance;
            const isLast = isOld(instance.validUntil);
            const last = isLast ? 'last-known' : '';
            const isOpen = open.has(uid);
            return [
              <tr key={uid}>
                <th scope="row" className="mono">
                  {containers.length > 0 ? (
                    <button
                      type="button"
                      className="plain opener"
                      aria-expanded={isOpen}
                      onClick={() => toggle(uid)}
                    >
                      <Icon name={isOpen ? 'down' : 'right'} />
                      {name}
                    </button>
                  ) : (
                    name
                  )}
                </th>
                <td className="mono">{revisionOf(instance)}</td>
                <td className="standing">
                  <InstanceState {...{ instance, isLast, isPast }} isGivenUp={isGivenUp(instance)} />
                </td>
                {hasContainers && (
                  <td data-label="containers">
                    <span className={last}>{readyContainers(containers)}</span>
                  </td>
                )}
                <td data-label="exits">
                  <span className={last}>{exitsOf(instance)}</span>
                </td>
                {hasReasons && (
                  <td data-label="reason">
                    <Reason of={instance} />
                  </td>
                )}
                {hasNodes && (
                  <td className="mono soft" data-label="node">
                    {node ?? ''}
                  </td>
                )}
                <td className="soft" data-label="started">
                  {startedAt != null && <Moment at={startedAt}>{startedIn(startedAt, serverNow)}</Moment>}
                </td>
                <td data-label="vouched by">{vouchedBy(instance)}</td>
                <td className={`age ${isLast ? 'tone-unknown' : ''}`} data-label="seen">
                  {seenWords(observedAgo(asOf), isPast)}
                </td>
              </tr>,
              ...(areLong && (reason || message)
                ? [
                    <tr key={`${uid} reason`} className="why">
                      <td colSpan={columns}>
                        <Reason of={instance} />
                      </td>
                    </tr>,
                  ]
                : []),
              ...(isOpen
                ? [
                    <tr key={`${uid} containers`} className="inside">
                      <td colSpan={columns}>
                        <Containers containers={containers} isLast={isLast} />
                      </td>
                    </tr>,
                  ]
                : []),
            ];
          })}
        </tbody>
      </table>
    </section>
  );
}

/** More letters than this have no room in a column: among ten, and among seven. */
const NARROW_LETTERS = 28;
const WIDE_LETTERS = 48;

const Reason = ({ of: { reason, message } }: { readonly of: InstanceView }) => (
  <>
    {reason?.replaceAll('_', ' ')}
    {message && <span className="soft"> {message}</span>}
  </>
);

/** In the past an age of less than a second is that instant. */
function seenWords(agoMs: number, isPast: boolean): string {
  if (isPast) return agoMs < 1_000 ? 'then' : before(agoMs);
  return ago(agoMs).replace(' ago', '');
}

/** The time of day for what started today, else the day. */
function startedIn(startedAt: string, serverNow: number): string {
  return dayBefore(startedAt, serverNow).trim() || clockTime(startedAt);
}

/** The exits as every sentence counts them; what its runtime counts beyond them was before, or was not seen one by one. */
function exitsOf({ exits, restarts }: InstanceView): string {
  const { count, first, last } = exits ?? { count: 0, first: '', last: '' };
  const seen = count > 1 ? `${count} ${exitSpan(first, last)}` : `${count}`;
  return restarts > count ? `${seen}; ${restarts} restarts in all` : seen;
}
