import { ProblemAnswer, Unreachable, unexpectedAnswer } from '../../client/client.ts';
import { SECURE_SESSION_COOKIE, SESSION_COOKIE } from '../../contract/session-cookie.ts';

/** The token of a session, and when it ends. */
interface OpenedSession {
  readonly token: string;
  readonly expiresAt: string;
}

const TIMEOUT_MS = 15_000;

/** Signs in by a one-time link, as a browser does; the cookie that it would keep is the token of the session. */
export async function sessionByLink(server: string, link: string, now: number): Promise<OpenedSession> {
  const answer = await fetch(`${server}/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link }),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw new Unreachable(`No server answers at ${server}.`);
  });
  if (!/json/.test(answer.headers.get('content-type') ?? '')) throw unexpectedAnswer(server);
  const body = (await answer.json()) as Readonly<Record<string, unknown>>;
  if (!answer.ok) throw new ProblemAnswer(body);
  const opened = sessionIn(answer.headers.getSetCookie(), now);
  if (opened === null) throw unexpectedAnswer(server);
  return opened;
}

function sessionIn(cookies: readonly string[], now: number): OpenedSession | null {
  for (const cookie of cookies) {
    const found = /^([^=]+)=([^;]+);.*Max-Age=(\d+)/i.exec(cookie);
    const [, name = '', token = '', seconds = ''] = found ?? [];
    if (name === SESSION_COOKIE || name === SECURE_SESSION_COOKIE)
      return { token, expiresAt: new Date(now + Number(seconds) * 1000).toISOString() };
  }
  return null;
}
