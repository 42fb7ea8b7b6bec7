import type { Host } from '../../evidence/host.ts';

/** A target is known from its first service or its first agent on. */
export function targetsOf(host: Host, org: string) {
  return host.store.read(async (tx) => {
    const now = await tx.now();
    const agents = new Map((await tx.select('agents', { org })).map((agent) => [agent.target, agent]));
    const counts = new Map<string, number>([...agents.keys()].map((target) => [target, 0]));
    for (const { target } of await tx.select('services', { org, hidden: false }))
      counts.set(target, (counts.get(target) ?? 0) + 1);
    const scopes = await tx.select('scopes', { org });
    return [...counts].sort().map(([target, services]) => {
      const agent = agents.get(target);
      const own = scopes.filter((scope) => scope.target === target && scope.epoch === agent?.epoch);
      const fresh = own.length > 0 && own.every(({ asOf }) => now < asOf + host.settings.freshForMs);
      return {
        target,
        /** What an agent runs there is its own business until it says so. */
        runtime: null,
        agent:
          agent === undefined
            ? null
            : { agent: agent.agent, instance: agent.instance, state: fresh ? 'alive' : 'stale' },
        services,
      };
    });
  });
}
