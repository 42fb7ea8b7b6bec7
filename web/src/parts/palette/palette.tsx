import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import type { ServiceItem } from '../../../../src/contract/answers/views.ts';
import { buttonsOf } from '../../../../src/contract/presentation/buttons.ts';
import { nextStepOf } from '../../../../src/contract/presentation/next-step.ts';
import { servingNow } from '../../../../src/contract/presentation/server-contact.ts';
import { getAll } from '../../api.ts';
import { claimViewOf } from '../../live/claim-view.ts';
import { addClaims, useNow, useView } from '../../live/live.ts';
import { useSilentTargets } from '../../live/target-ages.ts';
import { hasRoleAtLeast, type Session } from '../../session.ts';
import { PaletteBox } from './palette-box.tsx';
import { paletteGroups, serviceInQuestion } from './palette-items.ts';
import { pagesFor } from './palette-pages.ts';
import { useRollbackGoal } from './rollback-goal.ts';

interface Props {
  readonly session: Session;
  /** Kept outside: the first letters are typed before this is loaded. */
  readonly typed: string;
  readonly onType: (typed: string) => void;
  readonly onClose: () => void;
}

/** The names of services are read again after this time; what they say comes by the stream. */
const AGAIN_MS = 30_000;

/** Services, what can be done with one, and pages, by typing. Every action asks once more on the page of its service. */
export function Palette({ session, typed, onType, onClose }: Props) {
  const [place, go] = useLocation();
  const silent = useSilentTargets();
  const view = useView();
  const now = useNow();
  const list = useQuery({
    queryKey: ['names of services'],
    queryFn: async ({ signal }) => {
      const { items } = await getAll<ServiceItem>('/v1/services', signal);
      addClaims(items.map(({ claim }) => claim));
      return items.map(({ ref }) => ref);
    },
    staleTime: AGAIN_MS,
  });
  const current = /^\/services\/([^/]+)/.exec(place)?.[1] ?? null;
  const mayAct = hasRoleAtLeast(session, 'deployer');
  const needing = (list.data ?? []).filter((ref) => {
    const claim = view.claims.get(ref);
    return claim?.next.owner === 'user' && claimViewOf(claim, view, now).state !== 'unknown';
  }).length;
  const pages = useMemo(() => pagesFor(session, silent, needing), [session, silent, needing]);
  const services = (list.data ?? []).flatMap((ref) => {
    const claim = view.claims.get(ref);
    if (claim === undefined) return [];
    const { state } = claimViewOf(claim, view, now);
    if (state !== claim.state) return [{ ref, state, says: 'Not known now.' }];
    const { serving, desired, message } = claim;
    const isOther = serving !== null && serving.revision !== desired.revision;
    const serves = isOther && servingNow(view, ref, serving, now).isFresh;
    const title = message.title.replace(/\.$/, '');
    return [{ ref, state, says: serves ? `${title}. r${serving.revision} still serves.` : message.title }];
  });
  const opened = current === null ? null : decodeURIComponent(current);
  const subject = serviceInQuestion(typed, { services, current: opened });
  const back = useRollbackGoal(subject, subject === null ? undefined : view.claims.get(subject));
  const groups = paletteGroups(typed, {
    services,
    current: opened,
    isPast: new URLSearchParams(location.search).has('at'),
    rollbackOf: (ref) => (ref === subject ? back : null),
    buttonsOf: (ref) => {
      const claim = view.claims.get(ref);
      return claim === undefined ? null : buttonsOf(claim, mayAct, true);
    },
    claimOf: (ref) => view.claims.get(ref),
    stepOf: (ref) => {
      const claim = view.claims.get(ref);
      if (claim === undefined || !claimViewOf(claim, view, now).isLive) return null;
      const { serving, desired } = claim;
      const isOtherServing =
        serving !== null &&
        serving.revision !== desired.revision &&
        servingNow(view, ref, serving, now).isFresh;
      const buttons = buttonsOf(claim, mayAct, true);
      const step = nextStepOf(claim, buttons, hasRoleAtLeast(session, 'operator'), isOtherServing);
      // Who may only read is led to no fix, as on the page of the service.
      return step?.kind === 'deploy' && !mayAct ? null : step;
    },
    pages,
  });
  return (
    <PaletteBox
      {...{ groups, typed, onType, onClose }}
      isReading={list.isPending}
      onOpen={(address, inNewTab) => {
        if (inNewTab) window.open(address, '_blank', 'noopener');
        else go(address);
      }}
    />
  );
}
