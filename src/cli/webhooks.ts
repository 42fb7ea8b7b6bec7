import { type ContextOptions, inContext } from './context.ts';
import { EXIT } from './proof/exit-code.ts';
import { table } from './table.ts';
import { printedInstant } from './verbs/instant.ts';

export interface AddOptions extends ContextOptions {
  readonly event: readonly string[];
  readonly target?: string;
  readonly service?: string;
  readonly format?: string;
  readonly grace?: number;
}

export interface DeliveriesOptions extends ContextOptions {
  readonly dead?: boolean;
}

export function addWebhook(url: string, options: AddOptions): Promise<void> {
  const { event: events, target, service, format, grace: graceMs } = options;
  return inContext(options, null, async (context) => {
    const made = await context.people.createWebhook({
      ...{ url, events, format, graceMs },
      filter: { target, service },
    });
    // The secret alone is the result: it goes through a pipe to the receiver.
    await context.print(made, () => made.secret);
    context.note(`(id ${made.id}; the secret is shown only once. Try it: evident webhooks test ${made.id})`);
    return EXIT.cameTrue;
  });
}

export function listWebhooks(options: ContextOptions): Promise<void> {
  return inContext(options, null, async (context) => {
    const items = await context.people.webhooks();
    await context.print(items, (wide) =>
      table(
        ['ID', 'TO', 'EVENTS', 'FORMAT', 'WAITING', 'DEAD', 'ENDED'],
        items.map(({ id, url, events, format, waiting, dead, endedAt }) => [
          ...[id, url, events.join(','), format],
          String(waiting),
          String(dead),
          [printedInstant(endedAt), 'quiet'],
        ]),
        context.list(wide),
      ),
    );
    return EXIT.cameTrue;
  });
}

export function runWebhookRemove(id: string, options: ContextOptions): Promise<void> {
  return inContext(options, null, async (context) => {
    await context.people.removeWebhook(id);
    await context.print({ id, removed: true }, () => `Nothing more is sent to ${id}.`);
    return EXIT.cameTrue;
  });
}

export function testWebhook(id: string, options: ContextOptions): Promise<void> {
  return inContext(options, null, async (context) => {
    const sent = await context.people.testWebhook(id);
    await context.print(
      sent,
      () => `A test is on its way (${sent.id}). What became of it: evident webhooks deliveries ${id}`,
    );
    return EXIT.cameTrue;
  });
}

export function listDeliveries(id: string, options: DeliveriesOptions): Promise<void> {
  return inContext(options, null, async (context) => {
    const items = await context.people.deliveries(id, options.dead === true ? 'dead' : undefined);
    await context.print(items, (wide) =>
      table(
        ['ID', 'EVENT', 'ABOUT', 'STATE', 'TRIES', 'LAST', 'NEXT', 'PROBLEM'],
        items.map(({ id, event, about, state, tries, lastTryAt, nextTryAt, problem }) => [
          ...[id, event, about, state, String(tries)],
          ...[printedInstant(lastTryAt), printedInstant(nextTryAt)],
          problem ?? '',
        ]),
        context.list(wide),
      ),
    );
    return EXIT.cameTrue;
  });
}

export function redeliver(id: string, delivery: string, options: ContextOptions): Promise<void> {
  return inContext(options, null, async (context) => {
    const sent = await context.people.redeliver(id, delivery);
    await context.print(sent, () => `${sent.id} is sent again.`);
    return EXIT.cameTrue;
  });
}
