import { authorize, type Bearer } from './authorize.ts';
import { isUnbound } from './binding.ts';

/** The origin of stored bytes. */
interface BytesOrigin {
  /** The caller's own token has sent these bytes lately. */
  readonly isSender: boolean;
  /** Services that the bytes belong to, as far as they were read. */
  readonly services: readonly string[];
}

/**
 * Decides whether a caller may fetch bytes (F111): it sent them itself, it is bound to nothing, or they belong to a
 * service inside its binding.
 */
export function mayFetchBytes(caller: Bearer, { isSender, services }: BytesOrigin): boolean {
  if (isSender || isUnbound(caller)) return true;
  return services.some((service) => authorize(caller, { operation: 'transfer', service }).ok);
}
