import type { CommandKind } from '../contract/vocabulary.ts';
import type { Bearer } from './authorize.ts';
import { isBoundTo } from './binding.ts';
import { takesKind } from './roles.ts';

/**
 * True if this caller holds the lease. The name alone does not prove it: tokens with other roles and bindings
 * may share one.
 */
export function isHolder(
  caller: Bearer,
  lease: { readonly caller: string; readonly kind: CommandKind; readonly service: string },
): boolean {
  return (
    takesKind(caller.role, lease.kind) && lease.caller === caller.name && isBoundTo(caller, lease.service)
  );
}
