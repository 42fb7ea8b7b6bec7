import { STATES } from '../../../src/contract/vocabulary.ts';
import { ChangeChips } from '../pages/service/revisions/change-chips.tsx';
import { ChangeTable } from '../pages/service/revisions/change-table.tsx';
import { StageBar, StageLegend } from '../pages/service/revisions/stage-bar.tsx';
import { ListHead } from '../pages/services/list-head.tsx';
import { ListRow } from '../pages/services/list-lines.tsx';
import { Badge, StateBadge } from '../parts/badge.tsx';
import { PresenceBadge } from '../parts/presence-badge.tsx';
import { Ribbon } from '../parts/ribbon/ribbon.tsx';
import { ThemeSwitch } from '../parts/theme-switch.tsx';
import { CONFIGURATION_SPECIMENS } from './configuration-specimens.tsx';
import { LIST_SPECIMENS } from './list-specimens.tsx';
import { NEXT_SPECIMENS } from './next-specimens.tsx';
import { OPERATOR_SPECIMENS } from './operator-specimens.tsx';
import { PAGE_SPECIMENS } from './page-specimens.tsx';
import { PALETTE_SPECIMENS } from './palette-specimens.tsx';
import { RECORD_SPECIMENS } from './record-specimens.tsx';
import { SAMPLE_LINES } from './sample-lines.ts';
import { SAMPLE_NOW } from './sample-rows.ts';
import { SAMPLE_ATTEMPT, SAMPLE_CHANGES, SAMPLE_RIBBON } from './samples.ts';
import { SERVICE_SPECIMENS } from './service-specimens.tsx';
import type { Specimen } from './specimen.ts';
import { TARGET_SPECIMENS } from './target-specimens.tsx';
import { TIME_SPECIMENS } from './time-specimens.tsx';

export const SPECIMENS: readonly Specimen[] = [
  {
    name: 'state-marks',
    content: STATES.map((state) => (
      <p key={state}>
        <StateBadge state={state} />
      </p>
    )),
  },
  {
    name: 'badge-last-known',
    content: (
      <Badge
        claimView={{
          state: 'unknown',
          was: { state: 'running', agoMs: 45_000 },
          isLive: false,
          ageMs: 45_000,
        }}
        withAge
      />
    ),
  },
  {
    name: 'presence',
    content: (
      <>
        <p>
          <PresenceBadge presence="alive" isOld={false}>
            alive
          </PresenceBadge>
        </p>
        <p>
          <PresenceBadge presence="stale" isOld={false}>
            silent since 14:21:29
          </PresenceBadge>
        </p>
        <p>
          <PresenceBadge presence="alive" isOld>
            alive
          </PresenceBadge>
        </p>
      </>
    ),
  },
  { name: 'ribbon', content: <Ribbon ribbon={SAMPLE_RIBBON} now="failed" /> },
  { name: 'ribbon-silent', content: <Ribbon ribbon={SAMPLE_RIBBON} now="unknown" /> },
  { name: 'ribbon-unread', content: <Ribbon ribbon={undefined} now="running" /> },
  {
    name: 'service-rows',
    isWide: true,
    content: (
      <table className="services">
        <ListHead choice={{ sort: null, isReversed: false }} choose={() => {}} />
        <tbody>
          {SAMPLE_LINES.map((line, i) => (
            <ListRow
              // biome-ignore lint/suspicious/noArrayIndexKey: they never move
              key={i}
              line={line}
              at={1}
              sight={{ serverNow: SAMPLE_NOW, isPageSilent: false, mayOnlyRead: false }}
            />
          ))}
        </tbody>
      </table>
    ),
  },
  {
    name: 'last-known',
    content: (
      <>
        <span className="last-known mono">r12</span> <span className="last-known">2/2</span>
      </>
    ),
  },
  {
    name: 'buttons',
    content: (
      <>
        <button type="button" className="primary">
          Roll back to r41
        </button>{' '}
        <button type="button">Restart</button>{' '}
        <button type="button" className="plain">
          quiet
        </button>{' '}
        <ThemeSwitch />
      </>
    ),
  },
  {
    name: 'changes',
    content: <ChangeChips changes={SAMPLE_CHANGES} named={new Set(['DATABASE_URL'])} />,
  },
  {
    name: 'change-table',
    content: (
      <ChangeTable changes={SAMPLE_CHANGES} before="r41" after="r42" named={new Set(['DATABASE_URL'])} />
    ),
  },
  {
    name: 'stage-bar',
    content: (
      <>
        <StageBar attempt={SAMPLE_ATTEMPT} longest={60_000} />
        <StageLegend />
      </>
    ),
  },
  ...LIST_SPECIMENS,
  ...PAGE_SPECIMENS,
  ...SERVICE_SPECIMENS,
  ...TIME_SPECIMENS,
  ...NEXT_SPECIMENS,
  ...OPERATOR_SPECIMENS,
  ...RECORD_SPECIMENS,
  ...TARGET_SPECIMENS,
  ...CONFIGURATION_SPECIMENS,
  ...PALETTE_SPECIMENS,
];
