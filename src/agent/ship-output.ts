import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import { type OutageLog, persist } from '../client/persist.ts';
import { SENT_LINE_CHARS } from '../contract/log-limits.ts';
import type { InstanceOutput, Runtime } from '../runtime/port.ts';

const EVERY_MS = 200;
/** The pause between batches of an app that writes without end: the server has others to serve (F121). */
const MORE_MS = 20;
const LINES = 500;
/** Stays well below the limit of a JSON body. */
const CHARS = 256 * 1024;

/**
 * Ships the output of apps. The runtime keeps it until it is taken: nothing is held in memory while the server is away,
 * and lines that were sent without an answer are sent again under the same numbers.
 */
export async function shipOutput(
  client: Client,
  runtime: Runtime,
  options: {
    readonly signal: AbortSignal;
    readonly outages: OutageLog;
    readonly say: (line: string) => void;
  },
): Promise<void> {
  const { signal, say } = options;
  while (!signal.aborted) {
    let more = false;
    // One batch of each in turn: an app that writes without end must not hide the output of the others (F92).
    for (const output of runtime.outputs()) {
      if (signal.aborted) return;
      try {
        more = (await ship(client, output, options)) || more;
      } catch (error) {
        // Logs prove nothing: lines that cannot be read or are refused must not end the agent.
        if (!signal.aborted)
          say(`The output of ${output.instance} could not be sent. ${(error as Error).message}`);
      }
    }
    await wait(more ? MORE_MS : EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

/** Ships one batch; true if there may be more. */
async function ship(
  client: Client,
  output: InstanceOutput,
  { signal, outages }: { readonly signal: AbortSignal; readonly outages: OutageLog },
): Promise<boolean> {
  let chars = 0;
  const read = await output.read(LINES);
  const lines = read.filter(({ line }, at) => {
    chars += Math.min(line.length, SENT_LINE_CHARS);
    return at === 0 || chars < CHARS;
  });
  if (lines.length === 0) return false;
  const { service, stamp, instance } = output;
  const items = lines.map(({ seq, at, line }) => ({
    service,
    revision: stamp.revision,
    attempt: stamp.attempt,
    stream: 'run',
    instance,
    seq,
    at: new Date(at).toISOString(),
    line: line.slice(0, SENT_LINE_CHARS),
  }));
  await persist(
    (until) => client.call('POST', '/v1/logs', { items }, { signal: until, timeoutMs: 10_000 }),
    signal,
    outages,
  );
  await output.taken(lines);
  return lines.length === LINES || lines.length < read.length;
}
