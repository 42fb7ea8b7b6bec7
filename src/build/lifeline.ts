import type { ChildProcess } from 'node:child_process';
import type { StepContainer } from './step-container.ts';

/** The descriptor whose other end only the worker holds. */
const FD = 3;
/**
 * Becomes the program, and leaves a watcher in its process group that kills the group when the descriptor ends: the
 * worker has died. What the shell adds to the environment is taken out again.
 */
const WATCHED =
  '(read -r _; kill -KILL 0) <&3 >/dev/null 2>&1 & exec 3<&-; unset PWD OLDPWD SHLVL _; exec "$@"';

/**
 * Ends a step with its worker, where nothing else holds its processes together: a killed worker ends nothing itself, and
 * the next one with its directory may start never. What has left the process group is ended by that one, by its home.
 *
 * Rejected: PR_SET_PDEATHSIG. Its children do not inherit it, and only Linux has it.
 */
export function lifeline(): StepContainer {
  let child: ChildProcess | null = null;
  return {
    command: (words) => ({ words: ['/bin/sh', '-c', WATCHED, 'evident-step', ...words], pipes: ['pipe'] }),
    begin: async (started) => {
      child = started;
      started.stdio[FD]?.on('error', () => {});
    },
    end: async () => {
      child?.stdio[FD]?.destroy();
    },
  };
}
