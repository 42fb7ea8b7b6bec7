import '../styles/service.css';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useSearch } from 'wouter';
import type { InstanceView, Page, RevisionView, ServiceView } from '../../../src/contract/answers/views.ts';
import { get } from '../api.ts';
import { learn, useStream, useView } from '../live/live.ts';
import { shownOf } from '../live/shown.ts';
import { Badge } from '../parts/badge.tsx';
import { Quiet } from '../parts/quiet.tsx';
import { isAtLeast, type Session } from '../session.ts';
import { Boxes } from './service/boxes.tsx';
import { History } from './service/history.tsx';
import { Instances } from './service/instances.tsx';
import { Logs } from './service/logs.tsx';
import { ProofLine } from './service/proof-line.tsx';
import { Sentence } from './service/sentence.tsx';
import { useSight } from './service/sight.ts';

interface Props {
  readonly service: string;
  readonly session: Session;
}

/** All that is known of one service, now or at an instant of the past. */
export function Service({ service, session }: Props) {
  const at = new URLSearchParams(useSearch()).get('at');
  const path = `/v1/services/${service}`;
  useStream(`${path}/events`);
  const { changes, looks } = useView();
  const sight = useSight(service, at);
  const about = useQuery({
    queryKey: ['service', service],
    queryFn: async ({ signal }) => {
      const found = await get<ServiceView>(path, signal);
      learn([found.claim]);
      return found;
    },
  });
  const past = at === null ? '' : `?at=${encodeURIComponent(at)}`;
  const instances = useQuery({
    queryKey: ['instances', service, at],
    queryFn: ({ signal }) => get<Page<InstanceView>>(`${path}/instances${past}`, signal),
  });
  const revisions = useQuery({
    queryKey: ['revisions', service],
    queryFn: ({ signal }) => get<Page<RevisionView>>(`${path}/revisions?limit=50`, signal),
  });
  useRereading(changes, revisions.refetch);
  useRereading(changes + looks, about.refetch);
  useRereading(at === null ? changes + looks : 0, instances.refetch);

  const [name = service, target = ''] = service.split('@');
  const shown = sight === null ? null : shownOf(sight.claim, sight.heard, sight.now);
  useEffect(() => {
    document.title = `${name}: ${shown === null ? '…' : shown.state.replaceAll('_', ' ')} · Evident`;
  }, [name, shown?.state, shown]);

  if (about.isError) return <Quiet>{about.error.message}</Quiet>;
  if (sight === null || shown === null) return <Quiet>Reading {service} …</Quiet>;
  const { claim } = sight;
  const seen = instances.data?.items ?? null;
  const all = revisions.data?.items ?? [];
  const revision = all.find((r) => r.revision === claim.desired.revision) ?? null;
  const isOperator = isAtLeast(session, 'operator');
  return (
    <>
      <p className="soft crumbs">
        {target} / {name}
      </p>
      <h1>
        {name} <Badge shown={shown} withAge />
      </h1>
      <Sentence sight={sight} shown={shown} revision={revision} urls={about.data?.urls ?? []} />
      <Boxes sight={sight} shown={shown} instances={seen} revisions={all} session={session} />
      <ProofLine sight={sight} shown={shown} revision={revision} spec={about.data?.spec ?? null} />
      <Instances instances={seen} sight={sight} isOperator={isOperator} />
      <div className="two">
        <History revisions={all} claim={claim} />
        <Logs service={service} claim={claim} />
      </div>
    </>
  );
}

/** What stands beside the stream is read again when the stream says that there is something new to read. */
function useRereading(news: number, reread: () => unknown): void {
  useEffect(() => {
    if (news > 0) reread();
  }, [news, reread]);
}
