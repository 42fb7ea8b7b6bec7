import type { SignedIn } from '../auth/authenticate.ts';
import type { ServerContext } from '../context.ts';
import type { OpenStream } from './feeds.ts';

const RECHECK_MS = 2_000;

/** Ends a stream within 5 s of its token's end (F86). */
export function endWithToken(
  { auth, log }: Pick<ServerContext, 'auth' | 'log'>,
  { token, secret }: SignedIn,
  stream: OpenStream,
): void {
  const timer = setInterval(() => {
    auth.stillGood(token, secret).then(
      (good) => {
        if (!good) stream.end('this token has ended');
      },
      // A store that does not answer says nothing about the token; the next check may.
      (error) => log.debug({ err: error }, 'a stream could not check its token'),
    );
  }, RECHECK_MS);
  void stream.closed.then(() => clearInterval(timer));
}
