import { audienceOf } from '../../access/roles.ts';
import type { Host } from '../../evidence/door/host.ts';
import { clientLeft } from '../http/client-left.ts';
import { etagOf } from '../http/etag.ts';
import type { Call, Reply } from '../http/route.ts';
import type { SharedReads } from '../reads/shared-reads.ts';

/** A long list as it is read: its body, and the headers that lead on from it. */
interface LongList {
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The reply of a long list, for everybody in an org who sees the same and asks for it at once. Their text is written once
 * too: of a full page that takes as long as reading it, and no other org gets the thread meanwhile (F125).
 */
export function sharedReply(
  reads: SharedReads,
  call: Call<unknown, unknown>,
  host: Pick<Host, 'yieldIfDue'>,
  work: (signal: AbortSignal) => Promise<LongList>,
): Promise<Reply> {
  const { org, target, service } = call.caller;
  const question = JSON.stringify([audienceOf(call.caller), target, service, call.request.url]);
  const reply = async (signal: AbortSignal): Promise<Reply> => {
    const { body, headers = {} } = await work(signal);
    await host.yieldIfDue?.();
    const text = Buffer.from(JSON.stringify(body));
    await host.yieldIfDue?.();
    return {
      body: text,
      headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
      etag: etagOf(body),
    };
  };
  return reads.read(org, question, reply, clientLeft(call));
}
