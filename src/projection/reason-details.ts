import type { Cause } from '../contract/claim.ts';
import type { Params } from '../contract/params.ts';
import type { ReasonDetails } from '../contract/report.ts';

/** The details of a reason as parameters of its cause. */
export function detailParams(details: ReasonDetails | null | undefined): Params {
  if (details == null) return {};
  const { port, listens, status, exitCode } = details;
  return {
    ...(port != null && { port }),
    ...(listens != null && { listens: listens.join(', ') }),
    ...(status != null && { status }),
    ...(exitCode != null && { exitCode }),
  };
}

/** The sentence with the numbers of a cause; null where it has none, and the sentence of the catalogue is said. */
export function detailWords({ code, params }: Cause, isLost: boolean): string | null {
  const { port, listens, status, exitCode } = params;
  switch (code) {
    case 'not_listening':
      return port === undefined
        ? null
        : `Nothing listens on port ${port} (PORT) ${isLost ? 'any more' : 'yet'}.`;
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
      return status === undefined ? null : `Its health check answers ${status}.`;
    case 'exited':
      return exitCode === undefined ? null : `The app exited with code ${exitCode}.`;
    default:
      return null;
  }
}
