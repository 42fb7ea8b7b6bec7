import { authorize } from '../../access/authorize.ts';
import type { Caller } from '../../access/caller.ts';
import type { ObservationRequest, ObservationRule } from '../../contract/observation.ts';
import type { Answer } from '../../contract/problem.ts';
import { readable, type Stored } from '../../store/broken-row.ts';
import type { ReadTx } from '../../store/port.ts';
import { sourceOf } from '../door/bearer.ts';
import type { Host } from '../door/host.ts';
import { throughDoor } from '../door/through-door.ts';

/** The rule in a target's row; null where there is none, or where it cannot be read: then nothing new is observed. */
export const ruleIn = (row: Stored<'targets'> | undefined): ObservationRule | null =>
  readable(row).observation ?? null;

export async function ruleOf(tx: ReadTx, org: string, target: string): Promise<ObservationRule | null> {
  return ruleIn(await tx.get('targets', { org, target }));
}

/**
 * Sets the rule of a target, or ends it (`request` null). The target need not be registered yet. The same rule again
 * keeps its version, so that setting it twice changes nothing.
 */
export function setObservation(
  host: Host,
  caller: Caller,
  target: string,
  request: ObservationRequest | null,
): Promise<Answer<{ readonly rule: ObservationRule }>> {
  const { org } = caller;
  return throughDoor(
    host,
    org,
    async (door) => {
      const allowed = authorize(caller, { operation: 'administer', org });
      if (!allowed.ok) return allowed;
      const row = await door.tx.get('targets', { org, target });
      const before = ruleIn(row);
      const namespaces = request === null ? null : namespacesOf(request);
      const selector = request?.selector ?? null;
      const ask = request?.ask ?? false;
      const by = { since: door.at, actor: caller.name };
      // Nothing was ever observed there, and a name that was mistyped must not become a target.
      if (row === undefined && namespaces === null)
        return { ok: true, rule: { version: 0, namespaces, selector, ask, ...by } };
      if (before !== null && isSameRule(before, { namespaces, selector, ask }))
        return { ok: true, rule: before };
      const version = (before?.version ?? 0) + 1;
      const rule = { version, namespaces, selector, ask, ...by };
      await door.append({
        kind: 'operator.acted',
        source: sourceOf(caller, 'operator'),
        target,
        body: {
          action: namespaces === null ? 'observation.stopped' : 'observation.set',
          reason: '',
          actor: caller.name,
          observation: { version, namespaces: namespaces === null ? null : [...namespaces], selector, ask },
        },
      });
      const added = {
        org,
        target,
        runtime: null,
        createdAt: door.at,
        removedAt: null,
        observation: rule,
        defaultNamespace: null,
      };
      if (row === undefined) await door.tx.insert('targets', added);
      else await door.tx.update('targets', { org, target }, {}, { observation: rule });
      return { ok: true, rule };
    },
    { caller },
  );
}

/** All namespaces are one name; otherwise each once, in order. */
function namespacesOf({ namespaces }: ObservationRequest): readonly string[] {
  return namespaces.includes('*') ? ['*'] : [...new Set(namespaces)].sort();
}

type Rule = Pick<ObservationRule, 'namespaces' | 'selector' | 'ask'>;

const isSameRule = (a: Rule, b: Rule): boolean =>
  a.selector === b.selector &&
  (a.ask ?? false) === (b.ask ?? false) &&
  JSON.stringify(a.namespaces) === JSON.stringify(b.namespaces);

/** The rule covers what is in this namespace; labels are compared by the cluster, which the agent asks. */
export const coversNamespace = ({ namespaces }: ObservationRule, namespace: string): boolean =>
  namespaces !== null && (namespaces.includes('*') || namespaces.includes(namespace));
