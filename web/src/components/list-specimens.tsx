import '../styles/services.css';
import type { ReactNode } from 'react';
import { Compact } from '../pages/services/compact.tsx';
import { choiceOf } from '../pages/services/list-filter.ts';
import { ListFoot } from '../pages/services/list-foot.tsx';
import { ServiceMap } from '../pages/services/service-map.tsx';
import { Summary } from '../pages/services/summary.tsx';
import { SAMPLE_LINES } from './sample-lines.ts';
import { SAMPLE_NOW } from './sample-rows.ts';
import type { Specimen } from './specimen.ts';

const ROWS = SAMPLE_LINES.flatMap((line) => (line.kind === 'service' ? line.row : []));
const TARGETS = [
  { target: 'edge', agoMs: 372_000, isSilent: true },
  { target: 'prod', agoMs: 1_000, isSilent: false },
];
const SIGHT = { serverNow: SAMPLE_NOW, isPageSilent: false, mayOnlyRead: false };

const Counts = ({ isPageSilent }: { readonly isPageSilent: boolean }) => (
  <Summary
    rows={ROWS}
    targets={TARGETS}
    isComplete
    isPageSilent={isPageSilent}
    mayOnlyRead={false}
    choice={choiceOf(new URLSearchParams())}
    choose={() => {}}
  />
);

const InPage = ({ children }: { readonly children: ReactNode }) => <main>{children}</main>;

/** The list of services in its other forms, and what stands around it. */
export const LIST_SPECIMENS: readonly Specimen[] = [
  {
    name: 'summary',
    isWide: true,
    content: (
      <>
        <Counts isPageSilent={false} />
        <Counts isPageSilent />
      </>
    ),
  },
  {
    name: 'compact',
    isWide: true,
    frame: { width: 1206, height: 380 },
    content: (
      <InPage>
        <Compact lines={SAMPLE_LINES} sight={SIGHT} />
      </InPage>
    ),
  },
  { name: 'map', isWide: true, content: <ServiceMap rows={ROWS} sight={SIGHT} /> },
  {
    name: 'list-foot',
    isWide: true,
    content: (
      <>
        <ListFoot layout="rows" />
        <ListFoot layout="map" />
      </>
    ),
  },
];
