import '../styles/services.css';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import type { ServiceItem } from '../../../src/contract/answers/views.ts';
import { getAll } from '../api.ts';
import { addClaims, useNow, useStream, useView } from '../live/live.ts';
import { BrokenItems } from '../parts/broken-items.tsx';
import { Quiet } from '../parts/quiet.tsx';
import { Filters } from './services/filters.tsx';
import { useListFilter } from './services/list-filter.ts';
import { useRefreshExpired } from './services/refresh-expired.ts';
import { countsOf, rowsOf, type ServiceRowView } from './services/rows.ts';
import { ServiceTable } from './services/table.tsx';

/** One row per service: its claim, the age of the evidence, whose move it is. */
export function Services() {
  useStream('/v1/events');
  const list = useQuery({
    queryKey: ['services'],
    queryFn: async ({ signal, client, queryKey }) => {
      const isFirst = client.getQueryData(queryKey) === undefined;
      const all = await getAll<ServiceItem>('/v1/services', signal, (items) => {
        // A long list shows each page as it arrives; a list that is read again stays whole until it is
        // complete.
        if (isFirst) client.setQueryData(queryKey, { items, unreadable: [], isComplete: false });
      });
      addClaims(all.items.map(({ claim }) => claim));
      return { ...all, isComplete: true };
    },
  });
  const view = useView();
  const now = useNow();
  const [choice, choose] = useListFilter();
  const all: readonly ServiceRowView[] = list.data === undefined ? [] : rowsOf(list.data.items, view, now);
  useRefreshExpired(all, list);
  useEffect(() => {
    document.title = 'Services · Evident';
  }, []);
  if (list.isError && list.data === undefined) return <Quiet>{list.error.message}</Quiet>;
  if (list.data === undefined) return <Quiet>Reading the services …</Quiet>;
  const rows = choice.of(all);
  return (
    <>
      <h1>Services</h1>
      <p className="soft">
        {countsOf(all)}
        {!list.data.isComplete && ' Reading on …'}
      </p>
      <BrokenItems names={list.data.unreadable} />
      {all.length === 0 ? (
        <div className="card empty">
          <p>Nothing is deployed yet. In a folder with an app:</p>
          <pre>evident deploy</pre>
          <p className="soft">
            What a state means, and what proves it: <Link href="/model">the model</Link>.
          </p>
        </div>
      ) : (
        <>
          <Filters rows={all} choice={choice} choose={choose} />
          <ServiceTable rows={rows} choice={choice} choose={choose} />
          {rows.length === 0 && (
            <Quiet>
              No service is like that.{' '}
              <button type="button" onClick={() => choose({ show: '', state: '', target: '', q: '' })}>
                Show all {all.length}
              </button>
            </Quiet>
          )}
        </>
      )}
    </>
  );
}
