import type { Client } from '../client/client.ts';
import { OutageLog } from '../client/persist.ts';
import type { Runtime } from '../runtime/port.ts';
import { Commands } from './commands.ts';
import { Registration } from './registration.ts';
import { Reporter } from './reporter.ts';
import { shipOutput } from './ship-output.ts';

interface AgentOptions {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly target: string;
  /** Its name in `/v1/agents`. */
  readonly name: string;
  readonly version: string;
  /** Prints a line for its operator. */
  readonly say: (line: string) => void;
  /** Called when it is registered and has reported everything once. */
  readonly ready?: () => void;
}

/**
 * Acts for a target until `stop` is aborted: carries out its commands, reports observations, ships the output
 * of apps. Instances go on running when it stops. Throws `AgentFenced` when another agent has taken its
 * place.
 */
export async function runAgent(options: AgentOptions, stop: AbortSignal): Promise<void> {
  const { client, runtime, target, name, version, say } = options;
  const ended = new AbortController();
  const { signal } = ended;
  const end = () => ended.abort(new Error('the agent stops'));
  stop.addEventListener('abort', end);
  if (stop.aborted) end();
  const outages = new OutageLog(say);
  const { identity, defaultNamespace, observeOnly } = runtime;
  const description = {
    ...{ target, agent: name, version, identity },
    ...(defaultNamespace !== undefined && { defaultNamespace }),
    ...(observeOnly && { observeOnly }),
  };
  const registration = new Registration(client, description, signal, outages);
  const reporter = new Reporter(client, runtime, registration, target, { signal, outages, say });
  const commands = new Commands({
    ...{ client, runtime, registration, target, signal, outages, say },
    agent: name,
    reportApplied: (service) => reporter.reportApplied(service),
    reportRemoved: () => reporter.reportRemoved(),
  });
  try {
    await registration.current();
    void reporter.begun.then(options.ready);
    const parts = [reporter.run(), commands.run(), shipOutput(client, runtime, { signal, outages, say })];
    // The first that fails ends the others: an agent must not report without acting, nor act without reporting.
    await Promise.all(parts.map((part) => part.finally(end)));
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    end();
    stop.removeEventListener('abort', end);
  }
}
