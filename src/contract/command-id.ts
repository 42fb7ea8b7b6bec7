import type { Digits } from './digits.ts';
import { COMMAND_KINDS, type CommandKind } from './vocabulary.ts';

/**
 * A command's id names what it is about, so that the same work can never be born twice (S4, S6, F17) and
 * a trace reads by itself: `web@lab.r3.a1.apply.1`. The last number counts removals that had to be repeated.
 */
export function commandId(
  service: string,
  revision: number,
  attempt: number,
  kind: CommandKind,
  ordinal = 1,
): string {
  return `${service}.r${revision}.a${attempt}.${kind}.${ordinal}`;
}

export function commandKind(id: string): CommandKind | null {
  const word = id.split('.').at(-2);
  return COMMAND_KINDS.find((kind) => kind === word) ?? null;
}

export function commandOrdinal(id: string): number {
  return Number(id.slice(id.lastIndexOf('.') + 1));
}

export function leaseId(command: string, fence: Digits): string {
  return `${command}.${fence}`;
}

/** The parts that the id of a command names; null where it is no such id. A hint for looking the command up. */
export function aboutCommand(
  id: string,
): { readonly service: string; readonly revision: number; readonly attempt: number } | null {
  const parts = /^(.+)\.r(\d+)\.a(\d+)\.[a-z_]+\.\d+$/.exec(id);
  const [, service, revision, attempt] = parts ?? [];
  if (service === undefined) return null;
  return { service, revision: Number(revision), attempt: Number(attempt) };
}

export const commandOfLease = (lease: string) => lease.slice(0, Math.max(0, lease.lastIndexOf('.')));
