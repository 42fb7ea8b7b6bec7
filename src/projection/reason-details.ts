import type { Cause } from '../contract/claim.ts';
import type { Spec } from '../contract/intent.ts';
import type { Params } from '../contract/params.ts';
import type { Instance, ReasonDetails } from '../contract/report.ts';
import { isJudged } from './instances.ts';

/** A path without its query, which may hold a secret (S15). */
const PLAIN_PATH = /^\/[\w.~/-]{0,99}(?=\?|$)/;

/** The details of a reason as parameters of its cause; a status also names the health path of the spec. */
export function detailParams(details: ReasonDetails | null | undefined, { health }: Spec): Params {
  if (details == null) return {};
  const { port, listens, status, exitCode, container, labels, gate } = details;
  const path = status == null ? undefined : PLAIN_PATH.exec(health?.path ?? '')?.[0];
  return {
    ...(port != null && { port }),
    ...(listens != null && { listens: listens.join(', ') }),
    ...(status != null && { status }),
    ...(path !== undefined && { path }),
    ...(exitCode != null && { exitCode }),
    ...(container != null && { container }),
    ...(gate != null && { gate }),
    ...(labels != null && labels.length > 0 && { labels: labels.join(', ') }),
  };
}

/** The name of a container in a cluster: a DNS label. No free text reaches a sentence (S15). */
const CONTAINER_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The parameters of an instance that exited again and again. Its exits are those of all of its containers, so that each
 * one that exited is named, and the code of one is said only where it exited alone.
 */
export function exitParams(
  { containers, details }: Pick<Instance, 'containers' | 'details'>,
  spec: Spec,
): Params {
  const judged = containers.filter(isJudged);
  const named = detailParams(details, spec);
  const exited = judged.filter(({ name, restarts }) => restarts > 0 && CONTAINER_NAME.test(name));
  const [first, second] = exited;
  if (judged.length < 2 || first === undefined) return named;
  if (second === undefined) return { ...named, container: first.name };
  const { exitCode: _code, container: _one, ...others } = named;
  return { ...others, containers: exited.map(({ name }) => name).join(', ') };
}

/** While it starts that is as it should be: nobody is told to change anything, and who waits in vain learns why. */
const NOT_LISTENING: Readonly<Record<'starting' | 'failed' | 'lost', (nothing: string) => string>> = {
  starting: (nothing) => `${nothing} yet. (An app that has no port says \`port: null\` in evident.yaml.)`,
  failed: (nothing) => `${nothing}. If it needs no port, write \`port: null\` in evident.yaml.`,
  lost: (nothing) => `${nothing} any more.`,
};

/** The sentence with the numbers of a cause; null where it has none, and the sentence of the catalogue is said. */
export function detailWords({ code, params }: Cause, when: 'starting' | 'failed' | 'lost'): string | null {
  const { port, listens, status, path, exitCode, container = null, labels, gate } = params;
  switch (code) {
    case 'not_listening':
      if (port === undefined) return null;
      return NOT_LISTENING[when](`Nothing listens on port ${port} (PORT)`);
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
    case 'readiness_gate':
      return gate === undefined
        ? null
        : `It waits for its readiness gate ${gate}, which something outside of it sets.`;
    case 'no_matching_node':
      return labels === undefined ? null : `No machine there has the labels that it asks for: ${labels}.`;
    case 'exited':
      if (exitCode === undefined) return null;
      return `${container === null ? 'The app' : `Its container ${container}`} exited with code ${exitCode}.`;
    default:
      return null;
  }
}
