import { nameOf } from '../../contract/names.ts';
import { type ObjectFields, textAt } from '../verdict/fields.ts';
import type { InventoryEntry } from './fenced-writer.ts';
import { type DeployedMarks, FIELD_MANAGER, marksOf } from './marks.ts';
import type { AppliedKind, AppliedObject } from './objects.ts';

/**
 * The cluster's own record of a service: the newest order for it, and every object that was applied (rule 11). It outlives
 * the service, so that nothing older brings that back.
 */
export interface InventoryRecord {
  readonly isRemoved: boolean;
  readonly inventory: readonly InventoryEntry[];
}

/** A name that no object of a service has: those begin with the name of the service. */
export const inventoryName = (service: string): string => `evident-record.${nameOf(service)}`;

const KINDS: ReadonlySet<string> = new Set<AppliedKind>(['ConfigMap', 'Secret', 'Service', 'Deployment']);

export const recordObject = (
  by: DeployedMarks,
  namespace: string,
  { isRemoved, inventory }: InventoryRecord,
): AppliedObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: inventoryName(by.service),
    namespace,
    labels: { 'app.kubernetes.io/managed-by': FIELD_MANAGER },
    annotations: marksOf(by),
  },
  data: { state: isRemoved ? 'removed' : 'applied', inventory: JSON.stringify(inventory) },
});

/** Reads a record. An inventory that somebody has damaged counts as empty: less is pruned then, and nothing of others. */
export function recordIn(object: ObjectFields): InventoryRecord {
  return {
    isRemoved: textAt(object, 'data.state') === 'removed',
    inventory: inventoryIn(textAt(object, 'data.inventory') ?? '[]'),
  };
}

function inventoryIn(text: string): readonly InventoryEntry[] {
  try {
    const entries: unknown = JSON.parse(text);
    return Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is InventoryEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, name, uid } = value as Record<string, unknown>;
  return KINDS.has(String(kind)) && typeof name === 'string' && (uid === null || typeof uid === 'string');
}

const isSame = (a: InventoryEntry, b: InventoryEntry) => a.kind === b.kind && a.name === b.name;

/**
 * Everything of both. The uid of an object that is about to be applied is not known until it was: it may have been deleted
 * since, and another one be in its place.
 */
export function mergedInventory(
  before: readonly InventoryEntry[],
  now: readonly InventoryEntry[],
): readonly InventoryEntry[] {
  return [...before.filter((one) => !hasEntry(one, now)), ...now];
}

export const hasEntry = (one: InventoryEntry, inventory: readonly InventoryEntry[]): boolean =>
  inventory.some((other) => isSame(one, other));
