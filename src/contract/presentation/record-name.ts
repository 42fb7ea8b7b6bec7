import type { EvidenceView } from '../answers/views.ts';
import { isPlainObject } from '../plain-object.ts';

type Record = Pick<EvidenceView, 'kind' | 'body' | 'revision' | 'attempt'>;

const objectsIn = (body: unknown, key: string): { readonly [name: string]: unknown }[] => {
  const list = isPlainObject(body) ? body[key] : undefined;
  return Array.isArray(list) ? list.filter(isPlainObject) : [];
};

/**
 * The name of a record: its kind, and of a report that found exits that it counts them: "exit counted, code 1". It is not
 * called the exit: it shows the app up again, which another report may have shown down long before. A body that is not
 * understood names nothing more.
 */
export function recordName({ kind, body }: Record): string {
  const exits = objectsIn(body, 'exits');
  const count = exits.reduce((sum, one) => sum + (typeof one.count === 'number' ? one.count : 0), 0);
  if (kind !== 'runtime.observed' || count === 0) return kind;
  const instances = objectsIn(body, 'instances');
  const codes = new Set(exits.map(({ uid }) => codeOf(instances.find((one) => one.uid === uid))));
  const [code] = codes;
  const what = count === 1 ? 'exit counted' : `${count} exits counted`;
  return codes.size === 1 && code !== null ? `${what}, code ${code}` : what;
}

function codeOf(instance: { readonly [name: string]: unknown } | undefined): number | null {
  const details = instance?.details;
  const code = isPlainObject(details) ? details.exitCode : undefined;
  return typeof code === 'number' ? code : null;
}

/** The record found an exit, which counts even if it alone changes no state. */
export const isExit = (record: Record): boolean => recordName(record) !== record.kind;

/** "r42.1": the attempts that a record is about; of a report those stamped on what it shows. Null: none is named. */
export function recordAbout({ revision, attempt, body }: Record): string | null {
  if (revision !== null) return `r${revision}.${attempt ?? '–'}`;
  const stamps = objectsIn(body, 'instances').flatMap((one) =>
    typeof one.revision === 'number' ? [`r${one.revision}.${one.attempt ?? '–'}`] : [],
  );
  return stamps.length === 0 ? null : [...new Set(stamps)].join(', ');
}

/**
 * When what a record says was so: as its sender says, else, of a report, the instant that the server counts it from. Null:
 * it says nothing of another instant than its receipt.
 */
export function observedOf({ kind, observedAt, body }: Pick<EvidenceView, 'kind' | 'observedAt' | 'body'>): {
  readonly at: string | null;
  readonly clock: string;
} {
  if (observedAt !== null) return { at: observedAt, clock: 'sender’s clock' };
  const asOf = kind === 'runtime.observed' && isPlainObject(body) ? body.changedAsOf : null;
  if (typeof asOf !== 'number' && typeof asOf !== 'string') return { at: null, clock: '' };
  const at = new Date(asOf);
  return { at: Number.isNaN(at.getTime()) ? null : at.toISOString(), clock: 'server clock' };
}
