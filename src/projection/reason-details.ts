import type { Cause } from '../contract/claim.ts';
import type { Spec } from '../contract/intent.ts';
import type { Params } from '../contract/params.ts';
import type { ReasonDetails } from '../contract/report.ts';

/** A path without its query, which may hold a secret (S15). */
const PLAIN_PATH = /^\/[\w.~/-]{0,99}(?=\?|$)/;

/** The details of a reason as parameters of its cause; a status also names the health path of the spec. */
export function detailParams(details: ReasonDetails | null | undefined, { health }: Spec): Params {
  if (details == null) return {};
  const { port, listens, status, exitCode, container } = details;
  const path = status == null ? undefined : PLAIN_PATH.exec(health?.path ?? '')?.[0];
  return {
    ...(port != null && { port }),
    ...(listens != null && { listens: listens.join(', ') }),
    ...(status != null && { status }),
    ...(path !== undefined && { path }),
    ...(exitCode != null && { exitCode }),
    ...(container != null && { container }),
  };
}

/** The sentence with the numbers of a cause; null where it has none, and the sentence of the catalogue is said. */
export function detailWords({ code, params }: Cause, isLost: boolean): string | null {
  const { port, listens, status, path, exitCode, container = null } = params;
  switch (code) {
    case 'not_listening':
      if (port === undefined) return null;
      return isLost
        ? `Nothing listens on port ${port} (PORT) any more.`
        : `Nothing listens on port ${port} (PORT) yet. If it needs no port, write \`port: null\` in evident.yaml.`;
    case 'wrong_port':
      return port === undefined || listens === undefined
        ? null
        : `It listens on ${listens}, not on ${port} (PORT).`;
    case 'wrong_address':
      return port === undefined
        ? null
        : `It listens on port ${port}, but at an address that requests do not reach: it should listen on 0.0.0.0.`;
    case 'probe_failed':
    case 'health_error':
      if (status === undefined) return null;
      return path === undefined ? `Its health check answers ${status}.` : `GET ${path} answered ${status}.`;
    case 'exited':
      if (exitCode === undefined) return null;
      return `${container === null ? 'The app' : `Its container ${container}`} exited with code ${exitCode}.`;
    default:
      return null;
  }
}
