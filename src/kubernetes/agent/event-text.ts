/**
 * The text of an event without the command of an app and without addresses of pods: kubelets and runtimes quote the program that they could not start,
 * and hooks and probes whole. No command leaves the cluster (S15). Rejected: no text at all; it often names the cause
 * that nothing else does. Pure.
 */
export function withoutCommands(text: string): string {
  return QUOTED.reduce((cut, [pattern, replacement]) => cut.replace(pattern, replacement), text);
}

/** The text may be cut anywhere: a quotation may have no end. */
const QUOTED: readonly (readonly [RegExp, string])[] = [
  // Probes name the address of the pod: it is of the inside of the cluster, and says nothing.
  [/(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])/g, '[address]'],
  [/\[[0-9a-f]*:[0-9a-f:.]+\]/gi, '[address]'],
  [/\b(exec:?|command|hook|cwd) ?\(?"(?:[^"\\]|\\.)*(?:"|$)/gi, '$1 "…"'],
  [/\b(hook|command|exec) ?\(?\[[^\]]*(?:\]\)?|$)/gi, '$1 […]'],
  [/\b(stat|lstat|fork\/exec|exec|chdir(?: to)?|open) \/[^\s:"]*/gi, '$1 …'],
];
