import { isFields, type ObjectFields, own } from './fields.ts';

/** Names an object in its cluster. Total: what cannot be read is null, because a bad object must still be named. */
export interface ObjectIdentity {
  readonly kind: string;
  /** The part of `apiVersion` before the slash; empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly namespace: string | null;
  readonly name: string;
  readonly uid: string | null;
}

/** Null where `kind` or `apiVersion` is missing: then it is no object of Kubernetes. */
export function objectIdentity(object: unknown): ObjectIdentity | null {
  if (!isFields(object)) return null;
  const kind = words(own(object, 'kind'));
  const apiVersion = words(own(object, 'apiVersion'));
  if (kind === null || apiVersion === null) return null;
  const slash = apiVersion.indexOf('/');
  const metadata = own(object, 'metadata');
  const about: ObjectFields = isFields(metadata) ? metadata : {};
  return {
    kind,
    group: slash < 0 ? '' : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    namespace: words(own(about, 'namespace')),
    name: words(own(about, 'name')) ?? '',
    uid: words(own(about, 'uid')),
  };
}

const words = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
