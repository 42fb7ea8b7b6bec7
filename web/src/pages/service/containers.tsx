import type { InstanceView } from '../../../../src/contract/answers/views.ts';
import { StateMark } from '../../parts/state-mark.tsx';

type ContainerView = InstanceView['containers'][number];

/** `1 of 2`: the containers of a pod that are ready. */
export function readyContainers(containers: readonly ContainerView[]): string {
  if (containers.length === 0) return '';
  return `${containers.filter(({ ready }) => ready).length} of ${containers.length}`;
}

/** The containers of a pod: each with its state, its kind and what ended it before. */
export function Containers({
  containers,
  isLast,
}: {
  readonly containers: readonly ContainerView[];
  readonly isLast: boolean;
}) {
  return (
    <ul className="containers">
      {containers.map((container) => (
        <li key={container.name}>
          <b className="mono">{container.name}</b>
          <span className={`badge tone-${isLast ? 'unknown' : container.ready ? 'running' : 'starting'}`}>
            <StateMark state={isLast ? 'unknown' : container.ready ? 'running' : 'starting'} />
            {isLast ? 'Was ' : ''}
            {container.ready ? 'ready' : 'not ready'}
          </span>
          <span className="soft">
            {[
              container.kind === 'main' ? null : container.kind,
              container.reason?.replaceAll('_', ' ') ?? null,
              container.restarts
                ? `${container.restarts} restart${container.restarts === 1 ? '' : 's'}`
                : null,
            ]
              .filter((word) => word !== null)
              .join(', ')}
          </span>
        </li>
      ))}
    </ul>
  );
}
