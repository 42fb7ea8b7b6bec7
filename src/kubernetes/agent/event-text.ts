/**
 * The text of an event without the command of an app: kubelets and runtimes quote the program that they could not start,
 * and hooks and probes whole. No command leaves the cluster (S15). Rejected: no text at all; it often names the cause
 * that nothing else does. Pure.
 */
export function withoutCommands(text: string): string {
  return QUOTED.reduce((cut, [pattern, replacement]) => cut.replace(pattern, replacement), text);
}

/** The text may be cut anywhere: a quotation may have no end. */
const QUOTED: readonly (readonly [RegExp, string])[] = [
  [/\b(exec:?|command|hook|cwd) ?\(?"(?:[^"\\]|\\.)*(?:"|$)/gi, '$1 "…"'],
  [/\b(hook|command|exec) ?\(?\[[^\]]*(?:\]\)?|$)/gi, '$1 […]'],
  [/\b(stat|lstat|fork\/exec|exec|chdir(?: to)?|open) \/[^\s:"]*/gi, '$1 …'],
];
