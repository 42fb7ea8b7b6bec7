import '../styles/service.css';
import '../styles/time-machine.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type {
  InstanceView,
  Page,
  RevisionView,
  ServiceView,
  TransitionView,
} from '../../../src/contract/answers/views.ts';
import type { Claim } from '../../../src/contract/claim.ts';
import { nameOf } from '../../../src/contract/names.ts';
import { failedAt } from '../../../src/contract/presentation/failed-stage.ts';
import { stopsOf } from '../../../src/contract/presentation/life.ts';
import { revisionsAt } from '../../../src/contract/presentation/past.ts';
import { serverNowOf, silenceMs } from '../../../src/contract/presentation/server-contact.ts';
import { labelOf, pastLabel } from '../../../src/contract/presentation/words.ts';
import { ApiProblem, get, getAll } from '../api.ts';
import { claimViewOf } from '../live/claim-view.ts';
import { addClaims, steadyNow, useNow, useStream, useView } from '../live/live.ts';
import { useGrowingList } from '../live/use-growing-list.ts';
import { BrokenItems } from '../parts/broken-items.tsx';
import { lazily } from '../parts/lazily.ts';
import { LoadFailed } from '../parts/load-failed.tsx';
import { Quiet } from '../parts/quiet.tsx';
import { hasRoleAtLeast, type Session } from '../session.ts';
import { Configuration } from './service/configuration/configuration.tsx';
import { useDatedClaim } from './service/dated-claim.ts';
import { withDecisions } from './service/decided-actions.ts';
import { Logs } from './service/logs.tsx';
import { NoLogs } from './service/no-logs.tsx';
import { Overview } from './service/overview.tsx';
import { PageHead } from './service/page-head.tsx';
import { useQueryParameter } from './service/query-parameter.ts';
import { RevisionsTab } from './service/revisions/revisions.tsx';
import { useServiceKeys } from './service/service-keys.ts';
import { type Tab, tabAddress } from './service/tabs.ts';
import { NoPast } from './service/time/no-past.tsx';
import { TimeMachine } from './service/time/time-machine.tsx';
import { WhatCameNext } from './service/time/what-came-next.tsx';

const NoSuchService = lazily(() => import('./service/no-such-service.tsx').then((m) => m.NoSuchService));
const Timeline = lazily(() => import('./service/timeline/timeline.tsx').then((m) => m.Timeline));

interface Props {
  readonly service: string;
  readonly session: Session;
  readonly tab: Tab;
}

/** One service, now or at a past instant. */
export function Service({ service, session, tab }: Props) {
  const [at, go] = useQueryParameter('at');
  const path = `/v1/services/${service}`;
  const view = useView();
  const { changes, looks } = view;
  const now = useNow();
  const serverNow = serverNowOf(view, now);
  // In silence the shown duration stops at the last message: nothing later is proven.
  const provenUntil = silenceMs(view, now) === null ? serverNow : view.serverAt;
  const transitions = useGrowingList<TransitionView>(`${path}/transitions`, changes).data?.items ?? NONE;
  const stops = useMemo(() => stopsOf(transitions), [transitions]);
  const about = useQuery({
    queryKey: ['service', service],
    queryFn: async ({ signal }) => {
      const found = await get<ServiceView>(path, signal);
      addClaims([found.claim]);
      return found;
    },
  });
  const { dated: undecided, isReading, refused } = useDatedClaim(service, at);
  const dated = useMemo(
    () => undecided && { ...undecided, claim: withDecisions(undecided.claim, about.data?.claim) },
    [undecided, about.data],
  );
  // A name without its target redirects to the full reference, under which events come.
  const [, navigate] = useLocation();
  const ref = about.data?.ref ?? service;
  useEffect(() => {
    if (ref !== service) navigate(`${tabAddress(ref, tab)}${location.search}`, { replace: true });
  }, [ref, service, tab, navigate]);
  // For a service that does not exist the tab watches the org, to know that it is live. It keeps that stream
  // while it asks again: a new stream would trigger another request.
  const wasShown = useRef(false);
  const missing = useRef<Error | null>(null);
  if (about.data !== undefined) missing.current = null;
  else if (isMissing(about.error)) missing.current = about.error;
  useStream(missing.current === null ? `${path}/events` : '/v1/events');
  // The instant of the shown claim, which may differ from the one requested last.
  const sightAt = dated?.at ?? null;
  const past = sightAt === null ? '' : `?at=${encodeURIComponent(sightAt)}`;
  const instances = useQuery({
    queryKey: ['instances', service, sightAt],
    queryFn: async ({ signal }) => {
      const readAt = steadyNow();
      return { ...(await get<Page<InstanceView>>(`${path}/instances${past}`, signal)), readAt };
    },
    enabled: dated !== null,
    placeholderData: keepPreviousData,
  });
  const revisions = useQuery({
    // A past revision may lie beyond the first page.
    queryKey: ['revisions', service, at === null],
    queryFn: async ({ signal }) => {
      const readAt = steadyNow();
      const { items, unreadable = [] } =
        at === null
          ? await get<Page<RevisionView>>(`${path}/revisions?limit=50`, signal)
          : await getAll<RevisionView>(`${path}/revisions`, signal);
      return { items, unreadable, readAt };
    },
    placeholderData: keepPreviousData,
  });
  useRefetchOnNews(changes, revisions.refetch);
  useRefetchOnNews(changes + looks, about.refetch);
  useRefetchOnNews(at === null ? changes + looks : 0, instances.refetch);

  const name = nameOf(service);
  const claimView = dated === null ? null : claimViewOf(dated.claim, dated.contact, dated.now);
  useEffect(() => {
    document.title = `${name}: ${claimView === null ? '…' : at === null ? labelOf(claimView.state) : pastLabel(labelOf(claimView.state))} · Evident`;
  }, [name, claimView?.state, claimView, at]);
  // An address of a record leads to the part that shows it.
  const [record] = useQueryParameter('record');
  const isRecordElsewhere = record !== null && tab === 'overview';
  useEffect(() => {
    if (isRecordElsewhere) navigate(`/services/${service}/evidence${location.search}`, { replace: true });
  }, [isRecordElsewhere, service, navigate]);
  // It stays where it was used: a slider that vanished at now could not be dragged back.
  const [isMachineOpen, openMachine] = useState(false);
  useEffect(() => {
    if (at !== null) openMachine(true);
  }, [at]);

  const isMachineShown = isMachineOpen || at !== null;
  const toggleMachine = () => {
    openMachine(!isMachineShown);
    if (isMachineShown) go(null);
  };
  useServiceKeys(() => navigate(tabAddress(service, 'evidence', at)), toggleMachine);

  const whyNot = missing.current ?? (about.data === undefined ? about.error : null);
  if (isMissing(whyNot))
    return (
      <LoadFailed>
        <Suspense fallback={<Quiet>Reading {service} …</Quiet>}>
          <NoSuchService service={service} />
        </Suspense>
      </LoadFailed>
    );
  if (whyNot !== null)
    return (
      <Quiet>
        {service}: {whyNot.message} <Link href="/">To the services</Link>
      </Quiet>
    );
  const machine = isMachineShown && (
    <TimeMachine stops={stops} at={at} go={go} isReading={isReading} now={serverNow} />
  );
  const all = revisions.data?.items ?? NONE;
  const head = (
    <PageHead
      service={service}
      tab={tab}
      claimView={claimView}
      label={dated !== null && claimView?.state === 'failed' ? failedAt(dated.claim) : null}
      urls={at === null && isServed(dated?.claim) ? (about.data?.urls ?? NONE) : NONE}
      newest={(dated?.at == null ? all[0]?.revision : dated.claim.desired.revision) ?? null}
      at={at}
      isMachineOpen={isMachineShown}
      onMachine={toggleMachine}
    />
  );
  if (refused !== null)
    return (
      <>
        {machine}
        {head}
        <NoPast refused={refused} at={at ?? ''} first={stops[0] ?? null} now={serverNow} go={go} />
      </>
    );
  if (dated === null || claimView === null) return <Quiet>Reading {service} …</Quiet>;
  // Drawn once everything was answered that is asked at the same time, so that nothing is pushed aside; a page that is not
  // live waits for nothing.
  wasShown.current ||=
    !claimView.isLive ||
    [about, instances, revisions].every(({ isPending, failureCount }) => !isPending || failureCount > 0);
  if (!wasShown.current) return <Quiet>Reading {service} …</Quiet>;
  const { claim } = dated;
  const instant = dated.at === null ? null : Date.parse(dated.at);
  const isRead = revisions.data !== undefined;
  const revisionsThen = instant === null ? all : revisionsAt(all, claim, instant);
  const sinceRead = dated.at === null ? Math.max(0, now - (revisions.data?.readAt ?? now)) : 0;
  return (
    <>
      {/* On top now and in the past: a line that moved away would be lost by the hand that drags it. */}
      {machine}
      {head}
      <BrokenItems names={revisions.data?.unreadable ?? NONE} />
      {tab === 'overview' && (
        <Overview
          {...{ service, session, dated, claimView, sinceRead }}
          about={about.data ?? null}
          revisions={isRead ? revisionsThen : null}
          instances={instances.data?.items ?? null}
          readAt={sightAt === null ? (instances.data?.readAt ?? 0) : Number.NEGATIVE_INFINITY}
          isReading={instances.isPlaceholderData}
          news={changes}
          cameNext={
            instant !== null && (
              <WhatCameNext
                service={service}
                stops={stops}
                at={instant}
                revision={claim.desired.revision}
                now={serverNow}
                go={go}
              />
            )
          }
        />
      )}
      {tab === 'evidence' &&
        (hasRoleAtLeast(session, 'operator') ? (
          <LoadFailed>
            <Suspense fallback={<div className="card timeline-to-come" />}>
              <Timeline
                service={service}
                claim={claim}
                transitions={transitions}
                at={instant}
                now={serverNow}
                provenUntil={provenUntil}
                go={go}
              />
            </Suspense>
          </LoadFailed>
        ) : (
          <Quiet>Evidence is shown to operators and admins.</Quiet>
        ))}
      {tab === 'revisions' && (
        <RevisionsTab
          {...{ session, dated, claimView, sinceRead }}
          revisions={isRead ? revisionsThen : null}
          news={changes}
        />
      )}
      {tab === 'logs' &&
        (about.data?.workload != null ? (
          <NoLogs workload={about.data.workload} />
        ) : (
          <Logs service={service} claim={claim} until={instant} instances={instances.data?.items ?? NONE} />
        ))}
      {tab === 'configuration' && about.data !== undefined && (
        <Configuration
          key={claim.desired.revision}
          service={service}
          claim={claim}
          spec={about.data.spec}
          workload={about.data.workload ?? null}
          mayAct={hasRoleAtLeast(session, 'deployer')}
          isPast={dated.at !== null}
        />
      )}
    </>
  );
}

const NONE: never[] = [];

/** Reads data beside the stream again when the stream reports news. */
function useRefetchOnNews(news: number, reread: () => unknown): void {
  useEffect(() => {
    if (news > 0) reread();
  }, [news, reread]);
}

/** Until something was seen serving, a link to the app would lead to an error. */
const isServed = (claim: Claim | undefined) =>
  claim !== undefined && (claim.serving !== null || claim.lastServing !== null);

const isMissing = (error: Error | null) => error instanceof ApiProblem && error.problem.code === 'not_found';
