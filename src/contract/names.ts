const NAME = '[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?';
/** A name of ours. */
export const SERVICE_NAME = new RegExp(`^${NAME}$`);
/** A service may be a workload that another tool has named: `web.shop@prod` is `web` in the namespace `shop`. */
const WORKLOAD_NAME = '[a-z0-9](?:[a-z0-9.-]{0,330}[a-z0-9])?';
export const SERVICE_REF = new RegExp(`^${WORKLOAD_NAME}@${NAME}$`);
export const DIGEST = /^sha256:[0-9a-f]{64}$/;
/** An image named by digest proves itself; for a tag, `runtime.applied` must bring the digest. */
export const IMAGE_DIGEST = /@(sha256:[0-9a-f]{64})$/;

/**
 * `host/name:tag` or `host/name@sha256:…`. Never an address and never with a login in it: everybody sees it
 * (S15).
 */
export const IMAGE_NAME = /^(?!.*\/\/)[A-Za-z0-9][\w.:/+-]*(?:@sha\d{1,3}:[0-9A-Za-z]+)?$/;

/** The name of a namespace of Kubernetes. */
export const NAMESPACE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The name of a target. */
export const TARGET_NAME = new RegExp(`^${NAME}$`);

export const DEFAULT_TARGET = 'local';

/**
 * Turns `name` or `name@target` into the full form that every row and claim uses; null for any other text.
 */
export function serviceRef(text: string): string | null {
  const full = text.includes('@') ? text : `${text}@${DEFAULT_TARGET}`;
  return SERVICE_REF.test(full) ? full : null;
}

export function nameOf(ref: string): string {
  return ref.slice(0, ref.indexOf('@'));
}

export function targetOf(ref: string): string {
  return ref.slice(ref.indexOf('@') + 1);
}
