import { useId } from 'react';
import type { SpanView } from '../../../../src/contract/answers/views.ts';
import { heardAt, standing, watchAge } from '../../../../src/contract/presentation/fleet.ts';
import type { Age } from '../../live/polled.ts';
import { Icon } from '../../parts/icon.tsx';
import { PresenceBadge } from '../../parts/presence-badge.tsx';
import { Ribbon } from '../../parts/ribbon/ribbon.tsx';
import { Since } from '../../parts/since.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import type { MeasuredRow } from '../../parts/windowed-rows.tsx';
import { scopeName } from './advice.ts';
import { type ServiceAtTarget, serviceCounts, troubledServices, troubledWords } from './counts.ts';
import { heardRibbon, heardStretches, heardUpTo, silencesOf } from './heard.ts';
import { ServiceCounts } from './service-counts.tsx';
import { TargetFacts } from './target-facts.tsx';
import { placeName, type TargetRowView, workOf } from './target-rows.ts';

export interface TargetRowProps {
  readonly row: TargetRowView;
  /** Null while they are not read yet. */
  readonly services: readonly ServiceAtTarget[] | null;
  /** When its agents were heard; undefined until it is read. */
  readonly spans: readonly SpanView[] | undefined;
  readonly age: Age;
  /** Null: it is open where there is something to do. */
  readonly isChosenOpen: boolean | null;
  readonly onToggle: (isOpen: boolean) => void;
  readonly measured: MeasuredRow;
}

const DAY_MS = 24 * 3_600_000;
const WEEK_MS = 7 * DAY_MS;
/** An agent that restarts is away for a moment; shorter gaps than this are no silence. */
const BRIDGE_MS = 10_000;

/** One target: its row, and what to do and the facts below it when it is open. */
export function TargetRow({ row, services, spans, age, isChosenOpen, onToggle, measured }: TargetRowProps) {
  const { target, runtime, agent, advices } = row;
  const id = useId();
  const isSilent = agent?.state !== 'alive' || age.isOld;
  const now = age.serverNow;
  const seenAt = agent === null ? null : heardAt(agent);
  const heard = heardUpTo(heardStretches(spans ?? [], BRIDGE_MS), seenAt);
  const ribbon =
    spans === undefined || now === null
      ? undefined
      : heardRibbon(target, heard, isSilent, { from: now - DAY_MS, to: now });
  const heardWhen = !isSilent ? 'now' : (agent?.seenAt ?? null) === null ? 'never' : 'earlier';
  const troubled = troubledServices(services ?? [], isSilent);
  const isOpen = isChosenOpen ?? (advices.length > 0 || troubled.length > 0);
  const unread = (agent?.scopes ?? [])
    .filter(({ unavailable }) => unavailable === 'forbidden')
    .map(({ scope }) => scopeName(scope).replace('namespace ', ''));
  // Silence has a column of its own.
  const troubles = advices.filter(({ weight }) => weight !== 'silent');
  const work = workOf(row.commands);
  return (
    <tbody {...measured} data-target={target} data-agent={agent?.id}>
      <tr className="target">
        <th scope="row">
          <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => onToggle(!isOpen)}>
            <Icon name={isOpen ? 'down' : 'right'} />
            {target}
          </button>
          <span className="soft">{placeName(runtime)}</span>
        </th>
        <td data-label="Agent">
          {agent === null ? (
            <PresenceBadge presence="stale" isOld={age.isOld}>
              None
            </PresenceBadge>
          ) : (
            <PresenceBadge presence={agent.state} isOld={age.isOld}>
              {agent.state === 'alive' ? 'Heard' : agent.seenAt === null ? 'Never heard' : 'Silent'}
            </PresenceBadge>
          )}
        </td>
        <td data-label="Heard" className={isSilent ? 'tone-unknown' : ''}>
          <Since at={seenAt} age={age} />
        </td>
        <td data-label="Last full look">
          {agent === null ? (
            '–'
          ) : (
            <span className={isSilent ? 'last-known' : ''} title={`watch age ${watchAge(agent)}`}>
              <Since at={agent.asOf} age={age} />
            </span>
          )}
        </td>
        <td data-label="Services">
          <ServiceCounts
            counts={services === null ? null : serviceCounts(target, services, heardWhen)}
            unread={unread}
          />
        </td>
        <td data-label="Trouble and work">
          {troubles.slice(0, 1).map(({ brief, weight }) => (
            <p key={brief} className={weight === 'trouble' ? 'row-trouble tone-degraded' : ''}>
              {weight === 'trouble' && <StateMark state="degraded" />}
              <span>{brief}</span>
            </p>
          ))}
          {troubled[0] !== undefined && (
            <p className={`row-trouble tone-${troubled[0].claimView.state}`}>
              <StateMark state={troubled[0].claimView.state} />
              <span>{troubledWords(troubled)}</span>
            </p>
          )}
          {work !== null && <p>{work}</p>}
          {work === null && troubles.length === 0 && troubled.length === 0 && (
            <p className="soft">Nothing waits for it.</p>
          )}
        </td>
        <td data-label="24 h" className="over-time">
          <Ribbon ribbon={ribbon} now={isSilent ? 'unknown' : 'running'} />
        </td>
      </tr>
      {isOpen && (
        <tr className="target-open" id={id}>
          <td colSpan={7}>
            <TargetFacts
              row={row}
              troubled={troubled}
              age={age}
              silences={now === null ? [] : silencesOf(heard, isSilent, now - WEEK_MS)}
              said={agent === null ? null : standing(agent)}
            />
          </td>
        </tr>
      )}
    </tbody>
  );
}
