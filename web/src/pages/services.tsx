import '../styles/services.css';
import '../styles/service-rows.css';
import '../styles/service-cards.css';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect } from 'react';
import type { Page, ServiceItem } from '../../../src/contract/answers/views.ts';
import { serverNowOf, silenceMs } from '../../../src/contract/presentation/server-contact.ts';
import { get, getAll } from '../api.ts';
import { addClaims, useNow, useStream, useView } from '../live/live.ts';
import { targetAges } from '../live/target-ages.ts';
import { BrokenItems } from '../parts/broken-items.tsx';
import { afterThePage, lazily, pageIsDrawn } from '../parts/lazily.ts';
import { Quiet } from '../parts/quiet.tsx';
import { hasRoleAtLeast, type Session } from '../session.ts';
import { groupOf, linesOf, sectionsOf, sortedBy } from './services/attention.ts';
import { type ListFilter, NO_FILTER, useListFilter } from './services/list-filter.ts';
import { rowsOf, type ServiceRowView } from './services/rows.ts';
import { Summary } from './services/summary.tsx';
import { ServiceTable } from './services/table.tsx';
import { Tools } from './services/tools.tsx';

const NoServices = lazily(() => import('./services/no-services.tsx').then((m) => m.NoServices));
const ListFoot = afterThePage(() => import('./services/list-foot.tsx').then((m) => m.ListFoot));
const RefreshExpired = afterThePage(() =>
  import('./services/refresh-expired.ts').then((m) => m.RefreshExpired),
);
const Uncovered = afterThePage(() => import('./services/uncovered.tsx').then((m) => m.Uncovered));
const Compact = lazily(() => import('./services/compact.tsx').then((m) => m.Compact));
const ServiceMap = lazily(() => import('./services/service-map.tsx').then((m) => m.ServiceMap));

/** Every service by attention: its claim, what it rests on, whose move it is. */
export function Services({ session }: { readonly session: Session }) {
  useStream('/v1/events');
  const list = useQuery({
    queryKey: ['services'],
    queryFn: async ({ signal, client, queryKey }) => {
      const isFirst = client.getQueryData(queryKey) === undefined;
      // A long list shows each page as it arrives; a list that is read again stays whole until it is complete.
      const show = (items: readonly ServiceItem[]) =>
        isFirst && client.setQueryData(queryKey, { items, unreadable: [], isComplete: false });
      // What calls for attention comes with the first page. The others are read by name, in which order none is missed.
      const first = isFirst
        ? await get<Page<ServiceItem>>('/v1/services?order=attention&limit=200', signal)
        : NO_PAGE;
      if (first.cursor !== null) show(first.items);
      const all =
        isFirst && first.cursor === null
          ? { items: first.items, unreadable: first.unreadable ?? [] }
          : await getAll<ServiceItem>('/v1/services', signal, (items) =>
              show(once([...first.items, ...items])),
            );
      addClaims(all.items.map(({ claim }) => claim));
      return { ...all, isComplete: true };
    },
  });
  const view = useView();
  const now = useNow();
  const [choice, choose] = useListFilter();
  // Only the page of a service shows the past: an instant in the address of the list would say what is not so.
  useEffect(() => {
    if (choice.hasInstant) choose({ at: '' });
  });
  const all: readonly ServiceRowView[] = list.data === undefined ? [] : rowsOf(list.data.items, view, now);
  const mayOnlyRead = !hasRoleAtLeast(session, 'deployer');
  const needing = all.filter((row) => groupOf(row) === 'needs you').length;
  useEffect(() => {
    const whom = mayOnlyRead ? 'a deployer' : 'you';
    const needs = needing === 0 ? '' : `, ${needing} ${needing === 1 ? 'needs' : 'need'} ${whom}`;
    document.title = `Services${needs} · Evident`;
  }, [needing, mayOnlyRead]);
  const isRead = list.data !== undefined || list.isError;
  useEffect(() => {
    if (isRead) pageIsDrawn();
  }, [isRead]);
  if (list.isError && list.data === undefined) return <Quiet>{list.error.message}</Quiet>;
  if (list.data === undefined) return <Quiet>Reading the services …</Quiet>;
  const sight = {
    serverNow: serverNowOf(view, now),
    isPageSilent: silenceMs(view, now) !== null,
    mayOnlyRead,
  };
  const wanted = all.filter(choice.isWanted);
  const lines = linesIn(wanted, choice);
  return (
    <>
      <h1 className="visually-hidden">Services</h1>
      <Suspense>
        <RefreshExpired rows={all} list={list} />
      </Suspense>
      <BrokenItems names={list.data.unreadable} />
      {all.length === 0 ? (
        <Suspense>
          <NoServices />
        </Suspense>
      ) : (
        <>
          <Summary
            rows={all}
            targets={targetAges(view, now)}
            isComplete={list.data.isComplete}
            isPageSilent={sight.isPageSilent}
            mayOnlyRead={mayOnlyRead}
            choice={choice}
            choose={choose}
          />
          <Tools choice={choice} choose={choose} session={session} isReading={!list.data.isComplete} />
          <Suspense fallback={<Quiet>Loading …</Quiet>}>
            {choice.layout === 'map' ? (
              <ServiceMap rows={wanted} sight={sight} />
            ) : (
              <div className="sheet">
                {choice.layout === 'compact' ? (
                  <Compact lines={lines} sight={sight} />
                ) : (
                  <ServiceTable lines={lines} sight={sight} choice={choice} choose={choose} />
                )}
              </div>
            )}
          </Suspense>
          {wanted.length === 0 && (
            <Quiet>
              No service is like that.{' '}
              <button type="button" onClick={() => choose(NO_FILTER)}>
                Show all {all.length}
              </button>
            </Quiet>
          )}
          <Suspense>
            <ListFoot layout={choice.layout} />
          </Suspense>
        </>
      )}
      <Suspense>
        <Uncovered />
      </Suspense>
    </>
  );
}

const NO_PAGE: Page<ServiceItem> = { items: [], cursor: null };

/** Each service once: the last of two that were read. */
const once = (items: readonly ServiceItem[]) => [...new Map(items.map((item) => [item.ref, item])).values()];

/** By attention in groups, or in the order that somebody chose. */
function linesIn(rows: readonly ServiceRowView[], { sort, isReversed }: ListFilter) {
  if (sort === null) return linesOf(sectionsOf(rows));
  return sortedBy(rows, sort, isReversed).map(
    (row, index) => ({ kind: 'service', row, group: groupOf(row), index }) as const,
  );
}
