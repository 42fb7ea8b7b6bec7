import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { onTestFinished, vi } from 'vitest';

interface Received {
  readonly id: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are compared with what the formats say, field by field
  readonly body: any;
}

/** How it answers: a status, with a place to go on to, or never. */
type Manner = number | { readonly status: number; readonly location: string } | 'hangs';

const PATIENT = { timeout: 50_000, interval: 20 };

/** A receiver of webhooks as somebody else would write one: a real server, and the published library to verify by. */
export class Receiver {
  readonly received: Received[] = [];
  manner: Manner = 200;
  /** Of so many messages one gets 503 at its first try; 0: none does. */
  failsFirst = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(manner: Manner = 200): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    receiver.manner = manner;
    server.on('request', async (request, response) => {
      let text = '';
      for await (const chunk of request.setEncoding('utf8')) text += chunk;
      const { headers, url: path = '' } = request;
      receiver.received.push({
        ...{ id: String(headers['webhook-id']), path, headers, text, body: JSON.parse(text) },
      });
      const { manner, failsFirst, messages, received } = receiver;
      const isFirst = received.filter(({ id }) => id === received.at(-1)?.id).length === 1;
      const now = failsFirst > 0 && isFirst && messages.length % failsFirst === 0 ? 503 : manner;
      if (now === 'hangs') return;
      if (typeof now === 'number') response.writeHead(now).end();
      else response.writeHead(now.status, { location: now.location }).end();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook?key=of-a-chat`;
  }

  /** Bodies that came, each id once, in the order of their first try. */
  get messages(): Received[] {
    return [...new Map(this.received.map((one) => [one.id, one])).values()];
  }

  until(is: (messages: Received[]) => boolean): Promise<Received[]> {
    return vi.waitFor(() => {
      const { messages } = this;
      if (!is(messages))
        throw new Error(
          JSON.stringify(
            messages.map(({ body }) => body),
            null,
            1,
          ),
        );
      return messages;
    }, PATIENT);
  }
}

/** Throws if what came is not signed with the secret, as a receiver would. */
export function verified(secret: string, { headers, text }: Received): unknown {
  return new Webhook(secret).verify(text, headers as Record<string, string>);
}
