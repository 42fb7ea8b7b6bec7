import { ProblemAnswer, Unreachable } from '../../client/client.ts';
import type { People } from '../../client/people.ts';
import type { AgentView, TargetView, WorkerView } from '../../contract/answers/views.ts';
import { scopeTrouble } from '../../contract/presentation/fleet.ts';
import { type Check, fail, ok, warn } from './check.ts';
import { listens } from './machine.ts';

const SKEW_MS = 5_000;
const TIMEOUT_MS = 5_000;

/**
 * Checks the server, and how far its clock and ours are apart. The Date header has whole seconds, so half a
 * second is ignored.
 */
export async function server(address: string): Promise<Check[]> {
  let response: Response;
  const before = Date.now();
  try {
    response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch {
    const { hostname, port } = new URL(address);
    const taken = await listens(hostname.replace(/[[\]]/g, ''), Number(port || 80));
    return [
      taken
        ? fail(
            'server',
            `something listens at ${address}, and does not answer as a server`,
            'Stop what uses the port, or start the server on another: evident server --port 0',
          )
        : fail(
            'server',
            `nobody listens at ${address}`,
            'Start it: evident server. Or name another with --server or EVIDENT_SERVER.',
          ),
    ];
  }
  const middle = (before + Date.now()) / 2;
  const type = response.headers.get('content-type') ?? '';
  if (!type.includes('json') || response.headers.get('x-correlation-id') === null)
    return [
      fail(
        'server',
        `what answers at ${address} is no Evident server`,
        'Name the right one with --server or EVIDENT_SERVER.',
      ),
    ];
  const body = ((await response.json().catch(() => null)) ?? {}) as { readonly detail?: string };
  return [
    response.ok
      ? ok('server', `${address} is ready`)
      : fail(
          'server',
          `${address} answers, and is not ready: ${body.detail ?? 'it does not say why'}`,
          'Look at its log; see that its database runs and its disk has room.',
        ),
    ...skew(response.headers.get('date'), middle),
  ];
}

function skew(date: string | null, middle: number): Check[] {
  if (date === null) return [];
  const ms = Date.parse(date) + 500 - middle;
  const found = `${Math.abs(ms / 1000).toFixed(0)} s ${ms > 0 ? 'behind' : 'ahead of'} the server’s`;
  if (Math.abs(ms) < SKEW_MS) return [ok('clock', 'agrees with the server’s')];
  return [
    warn(
      'clock',
      `this machine’s is ${found}`,
      'Set it by NTP. Claims are right anyway: only the server’s clock counts.',
    ),
  ];
}

/** Finds out by harmless requests what the token may do. */
export async function token(
  people: People,
): Promise<{ readonly check: Check; readonly isOperator: boolean }> {
  const may = async (ask: () => Promise<unknown>) => {
    try {
      await ask();
      return true;
    } catch (error) {
      if (error instanceof ProblemAnswer && error.code === 'forbidden') return false;
      throw error;
    }
  };
  const make = 'An administrator makes one: evident tokens create --role deployer';
  try {
    if (!(await may(() => people.targets())))
      return {
        check: warn(
          'token',
          'is a component’s: a builder’s or an agent’s',
          `People need one of their own. ${make}`,
        ),
        isOperator: false,
      };
    const isOperator = await may(() => people.agents());
    const isAdmin = isOperator && (await may(() => people.tokens()));
    const role = isAdmin ? 'an administrator’s' : isOperator ? 'an operator’s' : 'a viewer’s or a deployer’s';
    return { check: ok('token', `is good, and ${role}`), isOperator };
  } catch (error) {
    if (error instanceof ProblemAnswer && error.code === 'unauthenticated')
      return {
        check: fail('token', 'the server does not accept it: it is wrong, or has expired', make),
        isOperator: false,
      };
    if (error instanceof ProblemAnswer || error instanceof Unreachable)
      return {
        check: fail('token', `could not be tried: ${error.message}`, 'Look at the server first.'),
        isOperator: false,
      };
    throw error;
  }
}

export function workers(items: readonly WorkerView[]): Check {
  const builders = items.filter(({ kinds }) => kinds.includes('build'));
  const alive = builders.filter(({ state }) => state !== 'offline');
  if (alive.length > 0)
    return ok('worker', alive.map(({ worker, state }) => `${worker} is ${state}`).join(', '));
  const found =
    builders.length === 0
      ? 'none has ever requested work'
      : `${builders.map(({ worker }) => worker).join(', ')} fell silent`;
  return warn('worker', found, 'Sources are not built without one: evident worker --kinds build');
}

export function agents(targets: readonly TargetView[], items: readonly AgentView[]): Check[] {
  if (targets.length === 0)
    return [
      warn('agent', 'no target has an agent yet', 'Nothing runs without one: evident agent --target local'),
    ];
  return targets.map(({ target, agent, services, runtime }) => {
    const name = `agent of ${target}`;
    // Without its runtime the line would start an agent of another kind, which takes the target over.
    const kind = runtime === null ? '' : ` --runtime ${runtime}`;
    const start = `Its ${services} ${services === 1 ? 'service is' : 'services are'} unknown until it speaks: evident agent --target ${target}${kind}`;
    if (agent === null) return warn(name, 'none has registered', start);
    if (agent.state === 'stale') return fail(name, `${agent.agent} is silent`, start);
    const scopes = items.find((item) => item.target === target && item.state === 'alive')?.scopes ?? [];
    const troubled = scopes.flatMap((scope) => {
      const trouble = scopeTrouble(scope);
      return trouble === null ? [] : [{ ...scope, words: `${scope.scope} ${trouble}` }];
    });
    const words = troubled.map((one) => one.words).join('; ');
    if (troubled.some(({ unavailable }) => unavailable === 'forbidden'))
      return fail(name, `${agent.agent}: ${words}`, 'Let it read what it must.');
    if (troubled.some(({ absent }) => absent))
      return warn(
        name,
        `${agent.agent}: ${words}`,
        `Correct the rule: evident observe ${target} --namespace …`,
      );
    return ok(name, `${agent.agent} is alive`);
  });
}

/**
 * Finds services that run but were deployed in a past that a restore has lost: no record of them is left
 * (F54).
 */
export function checkUnknownServices(targets: readonly TargetView[]): Check[] {
  return targets.flatMap(({ target, notOnRecord }) =>
    notOnRecord.length === 0
      ? []
      : [
          warn(
            `services of ${target}`,
            `${notOnRecord.join(', ')} was reported there, and there is no record of it`,
            'Deploy it again, and it is replaced; or end it on the target.',
          ),
        ],
  );
}

/** Checks the router of the local target: at the address that its services name, else beside the API. */
export async function router(
  address: string,
  isLocalAlive: boolean,
  urls: readonly string[],
): Promise<Check> {
  const { hostname, port } = new URL(address);
  const serviceUrl = urls.map((url) => new URL(url)).find((url) => url.hostname.endsWith('.localhost'));
  const routerPort = Number(serviceUrl?.port ?? process.env.EVIDENT_ROUTER_PORT ?? Number(port) + 1);
  if (routerPort === 0) return ok('router port', 'any: the addresses of services name it');
  const isListening = await listens(hostname.replace(/[[\]]/g, ''), routerPort);
  if (isListening && !isLocalAlive)
    return warn(
      'router port',
      `something listens on ${routerPort}, and no agent of local is alive`,
      'If it is Evident’s router, which keeps apps reachable, the next agent takes it over. If not, stop it, or choose another port with EVIDENT_ROUTER_PORT.',
    );
  if (!isListening && isLocalAlive)
    return warn(
      'router port',
      `nobody listens on ${routerPort}`,
      'If the router was given another port, set EVIDENT_ROUTER_PORT here too.',
    );
  return ok('router port', isListening ? `${routerPort} answers` : `${routerPort} is free`);
}
