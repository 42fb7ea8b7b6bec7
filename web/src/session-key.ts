/**
 * This origin's half of its session's secret. A cookie belongs to a host name, whatever the port: an app on the same host
 * is sent it, and could set another in its place (F127). Storage belongs to the origin, port included.
 */
const KEY = 'evident.key';

export const sessionKey = (): string | null => localStorage.getItem(KEY);
export const keepSessionKey = (key: string): void => localStorage.setItem(KEY, key);
export const forgetSessionKey = (): void => localStorage.removeItem(KEY);
