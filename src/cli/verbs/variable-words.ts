/** The service stands last. Before what is set, as in `env set web K=V`, it is as plain: no service has a `=`. */
export function serviceIn(words: readonly string[]): {
  readonly ref: string;
  readonly rest: readonly string[];
} {
  const [verb = '', first = '', ...pairs] = words;
  if (words.at(-1)?.includes('=') && !first.includes('=')) return { ref: first, rest: [verb, ...pairs] };
  return { ref: words.at(-1) ?? '', rest: words.slice(0, -1) };
}
