import { authorize, type Bearer } from './authorize.ts';
import { takesKind } from './roles.ts';

/** The origin that a line of a log names. Command, fence and epoch are optional, and checked when named. */
export interface LineOrigin {
  readonly service: string;
  readonly stream: 'build' | 'run';
  readonly command?: string | null | undefined;
  readonly fence?: string | null | undefined;
  readonly epoch?: string | null | undefined;
}

/** The stored rows that a line's origin names, as far as there are any and they can be read. */
export type RecordedOrigin =
  | { readonly stream: 'build'; readonly builds: readonly RecordedBuild[] }
  | {
      readonly stream: 'run';
      /** The epoch of the target's current agent. */
      readonly epoch: string | undefined;
      /** The service of the line's lease; for a line without a fence, of its command. */
      readonly service: string | undefined;
      /** The caller that acquired the line's lease. */
      readonly holder: string | undefined;
    };

/** A build command with the caller that acquired its newest lease. */
export interface RecordedBuild {
  readonly id: string;
  readonly fence: string;
  readonly holder: string | undefined;
}

/**
 * Decides whether a caller may send a line (F111). Lines of a build are its holder's: the caller that has the newest
 * fence of its command, also after its own evidence has ended the lease, because the last lines of a build come after
 * its evidence. Lines of instances may come from any agent whose token is bound to the service. A line that names
 * `command`, `fence` or `epoch` must name the right ones: with `epoch`, only the current agent's lines pass.
 */
export function maySendLine(caller: Bearer, line: LineOrigin, recorded: RecordedOrigin): boolean {
  if (!authorize(caller, { operation: 'transfer', service: line.service }).ok) return false;
  if (!takesKind(caller.role, line.stream === 'build' ? 'build' : 'apply')) return false;
  return recorded.stream === 'build'
    ? recorded.builds.some((build) => isNamed(build, line) && build.holder === caller.name)
    : isOfInstance(caller, line, recorded);
}

const isNamed = ({ id, fence }: RecordedBuild, line: LineOrigin) =>
  (line.command == null || line.command === id) && (line.fence == null || line.fence === fence);

function isOfInstance(
  caller: Bearer,
  line: LineOrigin,
  { epoch, service, holder }: Extract<RecordedOrigin, { stream: 'run' }>,
): boolean {
  if (line.epoch != null && line.epoch !== epoch) return false;
  if (line.command == null) return true;
  // On an instance the fence is provenance: it outlives its lease.
  return line.service === service && (line.fence == null || holder === caller.name);
}
