/** The cookie that signs a browser in at the page. Where TLS is, its name also carries `__Host-`. */
export const SESSION_COOKIE = 'evident_session';
export const SECURE_SESSION_COOKIE = `__Host-${SESSION_COOKIE}`;

/**
 * Carries the page's half of a session's secret. Cookies ignore ports: a browser sends the page's to every app that it
 * visits under the same host name, at the app's own port too. The key stays in the storage of the page's origin, which no
 * other port shares, so that a cookie alone opens nothing (F127).
 */
export const SESSION_KEY_HEADER = 'evident-session-key';

/**
 * True for every spelling under which a browser could send the page's cookie or be made to keep another in its place:
 * other case, blanks around it, any `__Host-` or `__Secure-` before it.
 */
function isSessionCookie(name: string): boolean {
  return (
    name
      .trim()
      .toLowerCase()
      .replace(/^(?:__(?:host|secure)-)+/, '') === SESSION_COOKIE
  );
}

/** A `Cookie` header without the page's cookie (F127); null if nothing is left. Other cookies stay as they were sent. */
export function withoutSession(header: string): string | null {
  const parts = header.split(';');
  const kept = parts.filter((part) => !isSessionCookie(nameOf(part)));
  if (kept.length === parts.length) return header;
  const left = kept.join(';').trim();
  return left === '' ? null : left;
}

/**
 * True if a `Set-Cookie` header would set the page's cookie. A cookie without a name (`=evident_session=x`) counts:
 * browsers send its value alone, and it reads as the page's.
 */
export const setsSession = (header: string): boolean => isSessionCookie(nameOf(header.split(';')[0] ?? ''));

const nameOf = (pair: string) => pair.replace(/^[\s=]+/, '').split('=')[0] ?? '';
