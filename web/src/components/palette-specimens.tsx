import type { Claim } from '../../../src/contract/claim.ts';
import { buttonsOf } from '../../../src/contract/presentation/buttons.ts';
import { PaletteBox } from '../parts/palette/palette-box.tsx';
import { paletteGroups } from '../parts/palette/palette-items.ts';
import { pagesFor } from '../parts/palette/palette-pages.ts';
import { SAMPLE_CLAIMS } from './sample-claims.ts';
import { sampleRow } from './sample-rows.ts';
import type { Specimen } from './specimen.ts';

const OPEN = 'checkout.shop@prod';
const failed = SAMPLE_CLAIMS.failed.dated.claim;

/** One action cannot be requested: its line says why. */
const CLAIMS: ReadonlyMap<string, Claim> = new Map([
  [
    OPEN,
    {
      ...failed,
      actions: [
        ...failed.actions,
        {
          ...{ action: 'cancel', allowed: false },
          whyNot: { code: 'nothing_to_cancel', detail: 'Nothing is in progress.', mayForce: false },
        },
      ],
    },
  ],
  ['catalog.shop@prod', sampleRow({ ref: 'catalog.shop@prod', state: 'running', wanted: 64 }).claim],
]);

const SERVICES = [
  { ref: OPEN, state: 'failed', says: 'The app does not stay up. r41 still serves.' },
  { ref: 'catalog.shop@prod', state: 'running', says: 'Running' },
  { ref: 'kiosk@edge', state: 'unknown', says: 'Not known now.' },
] as const;

const ADMIN = { role: 'admin', org: 'default', name: 'sam', session: null } as const;

const Typed = ({ typed, isReading = false }: { readonly typed: string; readonly isReading?: boolean }) => (
  <PaletteBox
    {...{ typed, isReading }}
    groups={paletteGroups(typed, {
      services: isReading ? [] : SERVICES,
      current: isReading ? null : OPEN,
      buttonsOf: (ref) => {
        const claim = CLAIMS.get(ref);
        return claim === undefined ? null : buttonsOf(claim, true, true);
      },
      claimOf: (ref) => CLAIMS.get(ref),
      stepOf: (ref) => (ref === OPEN ? { kind: 'deploy', command: `evident deploy --service ${ref}` } : null),
      rollbackOf: (ref) => (ref === OPEN ? 41 : null),
      pages: pagesFor(ADMIN, 1, 1),
    })}
    onType={() => {}}
    onOpen={() => {}}
    onClose={() => {}}
  />
);

const WIDE = { isWide: true, frame: { width: 900, height: 640 } };
const LOW = { isWide: true, frame: { width: 900, height: 220 } };

/** The palette: over the page of a service, a service sought, an action sought, nothing found, nothing read yet. */
export const PALETTE_SPECIMENS: readonly Specimen[] = [
  { name: 'palette-over-service', ...WIDE, content: <Typed typed="" /> },
  { name: 'palette-service', ...WIDE, content: <Typed typed="shop" /> },
  { name: 'palette-action', ...WIDE, content: <Typed typed="che roll" /> },
  { name: 'palette-nothing', ...LOW, content: <Typed typed="nosuchname" /> },
  { name: 'palette-reading', ...LOW, content: <Typed typed="sho" isReading /> },
  { name: 'phone-palette', frame: { width: 360, height: 640 }, content: <Typed typed="" /> },
];
