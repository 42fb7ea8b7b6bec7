import { clusterProblemOf } from '../api/problem.ts';
import { isFields, isThere } from '../verdict/fields.ts';

/** Reads a document of the cluster by its path. */
export type ReadDocument = (path: string) => Promise<{ readonly value: unknown }>;

/** A namespace as the cluster has it; `ending`: somebody deleted it, and the cluster removes everything in it. */
type FoundNamespace = 'there' | 'ending' | 'absent' | 'forbidden' | 'unproven';

export async function lookUpNamespace(read: ReadDocument, namespace: string): Promise<FoundNamespace> {
  try {
    const { value } = await read(`/api/v1/namespaces/${namespace}`);
    return isFields(value) && isThere(value, 'metadata.deletionTimestamp') ? 'ending' : 'there';
  } catch (error) {
    const { kind } = clusterProblemOf(error);
    return kind === 'absent' || kind === 'forbidden' ? kind : 'unproven';
  }
}
