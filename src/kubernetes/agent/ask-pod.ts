import { request } from 'node:http';
import { PROBE_AGENT } from '../../runtime/probe-agent.ts';
import type { ApiConnection } from '../api/connection.ts';
import type { PodRecord } from '../cache/pod.ts';
import type { AskOutcome } from '../observe/asked-pods.ts';
import type { AskPod } from './app-asker.ts';

/** A proxy never gives up by itself. */
const ASK_MS = 2_000;

/**
 * Asks through the API server, which reaches pods from wherever the agent is. What the app answers passes as it is; what
 * the API server says itself is of kind Status, and tells nothing about the app.
 */
export const askThroughApiServer =
  (connection: ApiConnection): AskPod =>
  async (pod, port) => {
    const path = `/api/v1/namespaces/${pod.namespace}/pods/${pod.name}:${port}/proxy/`;
    try {
      const { status, text } = await connection.proxied(path, ASK_MS);
      return status >= 400 && isStatus(text) ? 'silent' : 'answered';
    } catch {
      return 'silent';
    }
  };

function isStatus(text: string): boolean {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'Status';
  } catch {
    return false;
  }
}

/** Asks the pod at its own address, from inside the cluster's network. Bytes that are no HTTP are an answer too. */
export const askByAddress: AskPod = (pod: PodRecord, port: number) =>
  new Promise<AskOutcome>((done) => {
    if (pod.address === null) return done('silent');
    const asking = request({
      host: pod.address,
      port,
      path: '/',
      method: 'GET',
      agent: false,
      headers: { 'user-agent': PROBE_AGENT },
      timeout: ASK_MS,
    });
    const end = (outcome: AskOutcome) => {
      clearTimeout(timer);
      asking.destroy();
      done(outcome);
    };
    const timer = setTimeout(() => end('silent'), ASK_MS);
    asking.once('response', () => end('answered'));
    asking.on('error', ({ code = '' }: NodeJS.ErrnoException) =>
      end(code.startsWith('HPE_') ? 'answered' : 'silent'),
    );
    asking.end();
  });
