import type { AttemptView } from '../../../../../src/contract/answers/views.ts';
import { span } from '../../../../../src/contract/presentation/times.ts';
import type { Stage } from '../../../../../src/contract/vocabulary.ts';

/** One colour for each group of stages, the same in every row: waiting, building, applying, starting. */
const GROUPS: Readonly<Record<Stage, number>> = {
  publish: 0,
  queue: 0,
  build: 1,
  apply_queue: 0,
  apply: 2,
  scheduling: 3,
  image: 3,
  start: 3,
  readiness: 3,
  route: 3,
  runtime: 3,
  stop: 2,
};
const LEGEND = ['queued', 'building', 'applying', 'starting'] as const;

export const totalOf = ({ stages }: AttemptView) => stages.reduce((sum, { ms }) => sum + ms, 0);

/** The duration of each stage as a share of the longest. */
export function StageBar({ attempt, longest }: { readonly attempt: AttemptView; readonly longest: number }) {
  const text = attempt.stages.map(({ stage, ms }) => `${stage.replace('_', ' ')} ${span(ms)}`).join(', ');
  return (
    <svg
      className="bar"
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      role="img"
      aria-label={text || 'no time yet'}
    >
      {attempt.stages.map(({ stage, ms }, i) => {
        const before = attempt.stages.slice(0, i).reduce((sum, s) => sum + s.ms, 0);
        return (
          <rect
            key={stage}
            className={`stage-${GROUPS[stage]}`}
            x={(before / longest) * 100}
            width={Math.max(0.6, (ms / longest) * 100)}
            height="6"
          >
            <title>{`${stage.replace('_', ' ')} ${span(ms)}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}

export const StageLegend = () => (
  <ul className="stage-legend soft" aria-label="Colours of the bars">
    {LEGEND.map((name, i) => (
      <li key={name}>
        <svg viewBox="0 0 10 6" aria-hidden="true">
          <rect className={`stage-${i}`} width="10" height="6" rx="1" />
        </svg>{' '}
        {name}
      </li>
    ))}
  </ul>
);
