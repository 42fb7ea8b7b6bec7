import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:net';
import type { ListenerName } from '../router/router.ts';

/** Says to a router that it is started by another one, whose listeners it gets. */
const HEIR_VARIABLE = 'EVIDENT_ROUTER_HEIR';

/** An heir that is not ready by then gets nothing. */
const READY_MS = 15_000;

/** The talk of the two: the heir is prepared, gets every listener, may begin, and is ready. */
type HeirSays = 'prepared' | 'ready';
type HeirGets = { readonly listener: ListenerName } | 'begin';

/**
 * Starts another router and gives it every listener. Both accept connections until the caller closes its own: nobody is
 * refused. Rejects if the other one did not get ready; then nothing was taken from the caller except by `release`.
 *
 * @param release gives up what only one router may have
 */
export async function handOver(
  program: string,
  args: readonly string[],
  listeners: Iterable<readonly [ListenerName, Server]>,
  release: () => void,
): Promise<void> {
  const child = spawn(program, args, {
    detached: true,
    cwd: '/',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [HEIR_VARIABLE]: '1' },
  });
  const said = async (word: HeirSays) => {
    const signal = AbortSignal.timeout(READY_MS);
    const ended = once(child, 'exit', { signal }).then(() => {
      throw new Error('The new router ended before it was ready.');
    });
    for (;;) {
      const [heard] = (await Promise.race([once(child, 'message', { signal }), ended])) as [HeirSays];
      if (heard === word) return;
    }
  };
  const send = (message: HeirGets, server?: Server) =>
    new Promise<void>((done, fail) => {
      child.send(message, server, {}, (error) => (error === null ? done() : fail(error)));
    });
  try {
    await said('prepared');
    for (const [listener, server] of listeners) await send({ listener }, server);
    const ready = said('ready');
    ready.catch(() => {});
    release();
    await send('begin');
    await ready;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  child.disconnect();
  child.unref();
}

/**
 * Takes over the listeners of the router that started this process, if one did. Resolves when this process may have what
 * only one router has; gives the way to say that it is ready.
 */
export async function takeOver(adopt: (name: ListenerName, handle: object) => void): Promise<() => void> {
  const { [HEIR_VARIABLE]: isHeir } = process.env;
  delete process.env[HEIR_VARIABLE];
  if (isHeir === undefined || process.send === undefined) return () => {};
  const begun = new Promise<void>((done, fail) => {
    process.once('disconnect', () => fail(new Error('The former router ended before it handed over.')));
    process.on('message', (message: HeirGets, handle: object | undefined) => {
      if (message === 'begin') done();
      else if (handle !== undefined) adopt(message.listener, handle);
    });
  });
  say('prepared');
  await begun;
  process.removeAllListeners('disconnect');
  return () => say('ready');
}

function say(word: HeirSays): void {
  process.send?.(word);
}
