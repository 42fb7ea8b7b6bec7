/** Addresses at which a server listens everywhere, and at which nobody can open a page. */
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** The address at which this machine reaches a server that listens on `host`. */
export function ownAddress(host: string, port: number): string {
  const name = EVERYWHERE.has(host) ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
