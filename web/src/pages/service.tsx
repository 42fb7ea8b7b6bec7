import '../styles/service.css';
import '../styles/time-machine.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useMemo, useRef } from 'react';
import { useLocation } from 'wouter';
import type {
  InstanceView,
  Page,
  RevisionView,
  ServiceView,
  TransitionView,
} from '../../../src/contract/answers/views.ts';
import { stopsOf } from '../../../src/contract/presentation/life.ts';
import { revisionsAt } from '../../../src/contract/presentation/past.ts';
import { serverNowOf, silenceMs } from '../../../src/contract/presentation/server-contact.ts';
import { ApiProblem, get, getAll } from '../api.ts';
import { claimViewOf } from '../live/claim-view.ts';
import { addClaims, steadyNow, useNow, useStream, useView } from '../live/live.ts';
import { useGrowingList } from '../live/use-growing-list.ts';
import { Badge } from '../parts/badge.tsx';
import { BrokenItems } from '../parts/broken-items.tsx';
import { lazily } from '../parts/lazily.ts';
import { LoadFailed } from '../parts/load-failed.tsx';
import { Quiet } from '../parts/quiet.tsx';
import { hasRoleAtLeast, type Session } from '../session.ts';
import { useDatedClaim } from './service/dated-claim.ts';
import { Failure } from './service/failure.tsx';
import { History } from './service/history.tsx';
import { Instances } from './service/instances.tsx';
import { Logs } from './service/logs.tsx';
import { ProofLine } from './service/proof-line.tsx';
import { useQueryParameter } from './service/query-parameter.ts';
import { Sentence } from './service/sentence.tsx';
import { SummaryBoxes } from './service/summary-boxes.tsx';
import { NoPast, PastBanner } from './service/time/past-banner.tsx';
import { TimeMachine } from './service/time/time-machine.tsx';
import { Workload } from './service/workload.tsx';

const Timeline = lazily(() => import('./service/timeline/timeline.tsx').then((m) => m.Timeline));

interface Props {
  readonly service: string;
  readonly session: Session;
}

/** One service, now or at a past instant. */
export function Service({ service, session }: Props) {
  const [at, go] = useQueryParameter('at');
  const path = `/v1/services/${service}`;
  const view = useView();
  const { changes, looks } = view;
  const now = useNow();
  const serverNow = serverNowOf(view, now);
  // In silence the shown duration stops at the last message: nothing later is proven.
  const provenUntil = silenceMs(view, now) === null ? serverNow : view.serverAt;
  const { dated, isReading, refused } = useDatedClaim(service, at);
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
  // A name without its target redirects to the full reference, under which events come.
  const [, navigate] = useLocation();
  const ref = about.data?.ref ?? service;
  useEffect(() => {
    if (ref !== service) navigate(`/services/${ref}${location.search}`, { replace: true });
  }, [ref, service, navigate]);
  // For a service that does not exist the tab watches the org, to know that it is live. It keeps that stream
  // while it asks again: a new stream would trigger another request.
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

  const [name = service, target = ''] = service.split('@');
  const claimView = dated === null ? null : claimViewOf(dated.claim, dated.contact, dated.now);
  useEffect(() => {
    document.title = `${name}: ${claimView === null ? '…' : claimView.state.replaceAll('_', ' ')} · Evident`;
  }, [name, claimView?.state, claimView]);

  const whyNot = missing.current ?? (about.data === undefined ? about.error : null);
  if (whyNot !== null) return <Quiet>{whyNot.message}</Quiet>;
  const machine = <TimeMachine stops={stops} at={at} go={go} isReading={isReading} now={serverNow} />;
  const head = (
    <p className="soft crumbs">
      {target} / {name}
    </p>
  );
  if (refused !== null)
    return (
      <>
        {head}
        <h1>{name}</h1>
        <NoPast refused={refused} at={at ?? ''} first={stops[0] ?? null} now={serverNow} go={go} />
        {machine}
      </>
    );
  if (dated === null || claimView === null) return <Quiet>Reading {service} …</Quiet>;
  const { claim } = dated;
  const instant = dated.at === null ? null : Date.parse(dated.at);
  const all = revisions.data?.items ?? NONE;
  const revisionsThen = instant === null ? all : revisionsAt(all, claim, instant);
  const revision = revisionsThen.find((r) => r.revision === claim.desired.revision) ?? null;
  const isOperator = hasRoleAtLeast(session, 'operator');
  // The declared side is read for now only, never for the past.
  const workload = dated.at === null ? (about.data?.workload ?? null) : null;
  return (
    <>
      {dated.at !== null && <PastBanner at={dated.at} now={serverNow} go={go} />}
      {head}
      <h1>
        {name} <Badge claimView={claimView} withAge />
      </h1>
      <Sentence
        dated={dated}
        claimView={claimView}
        revision={revision}
        urls={dated.at === null ? (about.data?.urls ?? NONE) : NONE}
      />
      {dated.at === null && <Failure service={service} claim={claim} />}
      <SummaryBoxes dated={dated} claimView={claimView} revisions={revisionsThen} session={session} />
      <ProofLine dated={dated} claimView={claimView} revision={revision} spec={about.data?.spec ?? null} />
      {machine}
      {isOperator && (
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
      )}
      {workload !== null && (
        <Workload
          workload={workload}
          desired={claim.desired.revision}
          isKnown={claimView.isLive && claimView.state !== 'unknown'}
          now={serverNow}
        />
      )}
      <Instances
        readAt={sightAt === null ? (instances.data?.readAt ?? 0) : Number.NEGATIVE_INFINITY}
        claimView={claimView}
        instances={instances.data?.items ?? null}
        isReading={instances.isPlaceholderData}
        dated={dated}
        isOperator={isOperator}
        template={workload?.declared.template ?? null}
      />
      <BrokenItems names={revisions.data?.unreadable ?? NONE} />
      <div className="two">
        <History
          revisions={revisionsThen}
          claim={claim}
          isLive={claimView.isLive}
          now={serverNow}
          sinceRead={dated.at === null ? Math.max(0, now - (revisions.data?.readAt ?? now)) : 0}
        />
        <Logs service={service} claim={claim} until={instant} />
      </div>
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

const isMissing = (error: Error | null) => error instanceof ApiProblem && error.problem.code === 'not_found';
