import { type ContextOptions, inContext } from '../context.ts';
import { exitCodeOf } from '../proof/exit-code.ts';
import { EventScreen, screenFor } from '../proof/screen.ts';
import { applyEvent } from '../proof/view.ts';
import { buildOutputOn, finish, firstView, followUntilSettled, type WaitOptions } from '../proof/wait.ts';

interface WatchOptions extends ContextOptions, WaitOptions {
  readonly follow?: boolean;
}

/**
 * `evident watch`: follows the attempt in progress until it is settled; with `--follow` the service, until
 * Ctrl-C.
 */
export function runWatch(ref: string, options: WatchOptions): Promise<void> {
  return inContext(options, ref, async (context) => {
    const claim = await context.people.status(ref);
    const { service, desired } = claim;
    const screen = context.format === 'json' ? new EventScreen() : screenFor(context);
    screen.event({ event: 'claim', id: claim.position, data: claim });
    let view = await firstView(context, desired, claim, true, options);
    if (!options.follow) {
      view = await followUntilSettled(context, service, view, screen, options);
      if (context.format !== 'json' || view.settled === null) return finish(context, service, view);
      console.log(JSON.stringify({ event: 'settled', ...view.claim, settled: view.settled }));
      return exitCodeOf(view.settled, view.claim);
    }
    context.onInterrupt = `${service} goes on without you. Look again: evident watch ${service}`;
    let build = buildOutputOn(context, screen);
    const show = () => {
      build?.followWhileMade(view);
      screen.show(view);
    };
    const timer = setInterval(show, screen.everyMs);
    try {
      const { giveUpAfter } = options;
      const patience = giveUpAfter === undefined ? {} : { giveUpAfterMs: giveUpAfter };
      for await (const event of context.people.watch(ref, {
        signal: context.signal,
        after: claim.position,
        ...patience,
      })) {
        screen.event(event);
        view = applyEvent(view, event, performance.now());
        const { desired } = view.claim;
        if (desired.revision !== view.requested.revision || desired.attempt !== view.requested.attempt) {
          view = await firstView(context, desired, view.claim, true, options);
          build?.stop();
          build = buildOutputOn(context, screen);
        }
        show();
      }
    } finally {
      clearInterval(timer);
      build?.stop();
      screen.leave();
    }
    context.signal.throwIfAborted();
    return 0;
  });
}
