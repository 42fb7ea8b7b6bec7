import { type ListLine, linesOf, sectionsOf } from '../pages/services/attention.ts';
import { sampleRow } from './sample-rows.ts';

/** One service of each group, in each form of a row. */
export const SAMPLE_LINES: readonly ListLine[] = linesOf(
  sectionsOf([
    sampleRow({
      ref: 'search.shop@prod',
      state: 'failed',
      asks: 'user',
      sinceAgo: 300,
      wanted: 7,
      message: { code: 'failed.start', title: 'Exits', body: 'The app exits with code 1.' },
      failingLine: 'Error: connect ECONNREFUSED 10.0.4.7:9200',
    }),
    sampleRow({
      ref: 'checkout.shop@prod',
      state: 'failed',
      asks: 'user',
      sinceAgo: 240,
      deployedAgo: 360,
      wanted: 42,
      serving: 41,
      sha: '3f9c2e1aa',
      message: { code: 'failed.start', title: 'Exits', body: 'The app exits with code 1.' },
      failingLine: 'Error: DATABASE_URL is required',
    }),
    sampleRow({
      ref: 'kiosk@edge',
      state: 'unknown',
      sinceAgo: 372,
      wanted: 12,
      serving: 12,
      isTargetSilent: true,
      ageMs: 372_000,
    }),
    sampleRow({ ref: 'sensors@edge', state: 'artifact_ready', wanted: 6, serving: 5, isTargetSilent: true }),
    sampleRow({ ref: 'web@prod', state: 'starting', asks: 'platform', left: 240, wanted: 119, serving: 118 }),
    sampleRow({ ref: 'api@forge', state: 'building', asks: 'platform', left: 840, wanted: 31, serving: 30 }),
    sampleRow({ ref: 'catalog.shop@prod', state: 'running', wanted: 64, serving: 64, sha: 'd2f6a90aa' }),
    sampleRow({
      ref: 'demo@forge',
      state: 'stopped',
      wanted: 2,
      message: { code: 'stopped', title: 'Stopped', body: '' },
    }),
  ]),
);
