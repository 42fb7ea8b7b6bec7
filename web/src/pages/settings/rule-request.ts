/** The body that makes a rule, from what somebody typed. Empty parts are left out; `*` among others is all of them. */
export function ruleRequest(
  namespaces: string,
  selector: string,
  ask: boolean,
): { readonly namespaces: readonly string[]; readonly selector: string | null; readonly ask: boolean } {
  const named = [...new Set(namespaces.split(/[\s,]+/).filter(Boolean))];
  return {
    namespaces: named.length === 0 || named.includes('*') ? ['*'] : named,
    selector: selector.trim() === '' ? null : selector.trim(),
    ask,
  };
}
