import { isBoundTo } from '../../access/binding.ts';
import type { Caller } from '../../access/caller.ts';
import { isHolder } from '../../access/lease-holder.ts';
import { seesDetail } from '../../access/roles.ts';
import { commandId, leaseId } from '../../contract/command-id.ts';
import {
  BODIES,
  type Body,
  type ItemResult,
  itemSchema,
  type Source,
  type SubmittedItem,
} from '../../contract/evidence.ts';
import { serviceRef } from '../../contract/names.ts';
import type { Kind, Role } from '../../contract/vocabulary.ts';
import { intact, NAMELESS, pick, readable } from '../../store/broken-row.ts';
import { canonicalJson } from '../../store/canonical.ts';
import { type EvidenceIdRow, type Key, type LeaseRow, sourceKey } from '../../store/schema.ts';
import { evidenceRole, sourceOf } from '../door/bearer.ts';
import type { Door } from '../door/door.ts';
import type { Draft } from '../door/draft.ts';
import { acknowledge } from '../door/held-lease.ts';
import type { Host } from '../door/host.ts';
import { ENDS, endLease } from '../door/lease-end.ts';
import type { Prefetch } from '../door/prefetch.ts';
import { COMPONENT_QUOTA, rejectWithin } from '../door/reject-within.ts';
import type { ServiceFile } from '../door/service-file.ts';
import { throughDoor } from '../door/through-door.ts';
import { type AdmissionContext, admit } from './admit.ts';
import { refusedItem, refusePerson } from './refuse-person.ts';

/** The role of the caller may submit evidence at all. */
export const maySubmit = (caller: Caller) => evidenceRole(caller) !== null;

/** One verdict per item, in order; one bad item never hurts its neighbours (F29). */
export async function submit(host: Host, caller: Caller, items: readonly unknown[]): Promise<ItemResult[]> {
  if (!maySubmit(caller)) {
    const source = sourceOf(caller, sourceRole(caller));
    const refused = items.map((item) => refusedItem(source, item));
    const options = { size: 1, narrow: true, caller };
    return throughDoor(host, caller.org, (door) => refusePerson(door, refused), options);
  }
  const submission = read(caller, items);
  return throughDoor(host, caller.org, (door) => submitThrough(door, submission), {
    prefetch: prefetchFor(submission),
    size: items.length,
    narrow: true,
    caller,
  });
}

/** A submission as far as it can be parsed without the store. */
interface Submission {
  readonly caller: Caller;
  readonly source: Source;
  readonly items: readonly (
    | { readonly readable: true; readonly item: SubmittedItem; readonly said: string }
    | { readonly readable: false; readonly input: unknown }
  )[];
}

function read(caller: Caller, inputs: readonly unknown[]): Submission {
  const items = inputs.map((input) => {
    const parsed = itemSchema.safeParse(input);
    if (!parsed.success) return { readable: false, input } as const;
    const { kind, service, revision, attempt, command, fence, body } = parsed.data;
    const said = canonicalJson([kind, service, revision, attempt, command, fence, body]);
    return { readable: true, item: parsed.data, said } as const;
  });
  return { caller, source: sourceOf(caller, sourceRole(caller)), items };
}

/**
 * The role that the source of a submission has; for a caller that may submit nothing, the role of its token.
 */
const sourceRole = (caller: Caller): Role =>
  evidenceRole(caller) ?? (seesDetail(caller.role) ? 'operator' : 'api');

/**
 * The rows that admission reads: the items' ids, the service, command and lease that each names, and those of
 * possible consequences.
 */
function prefetchFor({ caller: { org }, source, items }: Submission): Prefetch[] {
  const ids: Key<'evidenceIds'>[] = [];
  const services = new Map<string, Key<'services'>>();
  const revisions = new Map<string, Key<'revisions'>>();
  const leases = new Map<string, Key<'leases'>>();
  const commands = new Map<string, Key<'commands'>>();
  const attempts = new Map<string, Key<'attempts'>>();
  const artifacts = new Map<string, Key<'artifacts'>>();
  for (const parsed of items) {
    if (!parsed.readable) continue;
    const { id, kind, service, revision, attempt, command, fence, body } = parsed.item;
    ids.push({ org, source: sourceKey(source), id });
    services.set(service, { org, service });
    revisions.set(`${service} ${revision}`, { org, service, revision });
    if (command == null || fence == null) continue;
    commands.set(command, { org, id: command });
    leases.set(leaseId(command, fence), { org, id: leaseId(command, fence) });
    if (ENDS[kind] === undefined) continue;
    attempts.set(command, { org, service, revision, attempt });
    const next = commandId(service, revision, attempt, 'apply');
    commands.set(next, { org, id: next });
    const digest = digestOf(body);
    if (digest !== null) artifacts.set(digest, { org, digest });
  }
  return [
    { table: 'evidenceIds', keys: ids },
    { table: 'services', keys: [...services.values()] },
    { table: 'revisions', keys: [...revisions.values()] },
    { table: 'commands', keys: [...commands.values()] },
    { table: 'leases', keys: [...leases.values()] },
    { table: 'attempts', keys: [...attempts.values()] },
    { table: 'artifacts', keys: [...artifacts.values()] },
  ];
}

/**
 * Behind the head's lock no other transaction ends a lease, takes up an offer or records an id: rows that the
 * door has read stay true until this very transaction changes them.
 */
async function submitThrough(door: Door, { caller, source, items }: Submission): Promise<ItemResult[]> {
  const verdicts: ItemResult[] = [];
  for (const parsed of items)
    verdicts.push(
      parsed.readable
        ? await submitOne(door, caller, source, parsed.item, parsed.said)
        : await rejectMalformed(door, source, parsed.input),
    );
  return verdicts;
}

async function submitOne(
  door: Door,
  caller: Caller,
  source: Source,
  item: SubmittedItem,
  said: string,
): Promise<ItemResult> {
  const { org, tx } = door;
  const first = { org, source: sourceKey(source), id: item.id };
  // Sent again, by its sender or by whoever captured it (F112): the first verdict.
  // mutant: duplicate-found
  const original = await tx.get('evidenceIds', first);
  const earlier = pick(original, 'body', 'position', 'reason');
  if (earlier !== undefined && earlier.body === said) return repeat(item.id, earlier);

  const body = BODIES[item.kind].safeParse(item.body);
  const found = await lookUp(door, caller, item, original !== undefined);
  // mutant: body-validated
  const verdict = !body.success
    ? ({ verdict: 'rejected', reason: 'invalid' } as const)
    : admit(found.context, item);
  const draft: Draft = {
    id: item.id,
    kind: item.kind,
    source:
      found.lease !== undefined && isHolder(caller, found.lease)
        ? { ...source, instance: found.lease.instance }
        : source,
    service: item.service,
    revision: item.revision,
    attempt: item.attempt,
    command: item.command ?? null,
    fence: item.fence ?? null,
    seq: item.seq ?? null,
    observedAt: item.observedAt ?? null,
    body: (body.success ? body.data : {}) as Body<Kind>,
  };
  // mutant: rejected-not-folded
  if (verdict.verdict !== 'admitted' || found.file === null || found.lease === undefined) {
    const reason = verdict.verdict === 'rejected' ? verdict.reason : 'not_owner';
    const { position, isOwnRow } = await rejectWithin(
      door,
      { ...draft, body: body.success ? body.data : storedBody(item.body) },
      reason,
      COMPONENT_QUOTA,
    );
    if (isOwnRow && (reason === 'unissued' || reason === 'conflicting_duplicate'))
      await door.alarm(reason, item.service);
    if (isOwnRow && original === undefined)
      await tx.append('evidenceIds', { body: said, ...first, position, reason });
    return { id: item.id, verdict: 'rejected', reason, position };
  }
  const { position } = await admitUnderLease(door, caller, found.file, found.lease, draft);
  // mutant: verdict-kept
  await tx.append('evidenceIds', { body: said, ...first, position, reason: null });
  return { id: item.id, verdict: 'admitted', position };
}

/** The effect of admitted evidence on its lease, its command and the claim, in that order. */
async function admitUnderLease(door: Door, caller: Caller, file: ServiceFile, lease: LeaseRow, draft: Draft) {
  const { org, tx } = door;
  const ends = ENDS[draft.kind];
  const held = lease.acknowledgedAt === null ? await acknowledge(door, file, lease, caller) : lease;
  if (draft.seq) await tx.update('leases', { org, id: lease.id }, {}, { lastSeq: draft.seq });
  if (ends !== undefined) {
    const cancelling = file.active?.attempt.cancel !== null;
    // An acknowledged cancel that nobody requested returns the command to the queue.
    const state = cancelling ? 'cancelled' : ends.state === 'cancelled' ? 'published' : ends.state;
    await endLease(door, held, ends.end, state);
  }
  return door.admit(file, draft);
}

interface Lookup {
  readonly file: ServiceFile | null;
  readonly lease: LeaseRow | undefined;
  readonly context: AdmissionContext;
}

async function lookUp(door: Door, caller: Caller, item: SubmittedItem, isIdTaken: boolean): Promise<Lookup> {
  const { org, tx } = door;
  const service = serviceRef(item.service);
  const file = service === null ? null : await door.file(service);
  const named = item.command ?? null;
  const command = named === null ? undefined : await tx.get('commands', { org, id: named });
  const row =
    named === null || command === undefined || item.fence == null
      ? undefined
      : await tx.get('leases', { org, id: leaseId(named, item.fence) });
  const lease = intact(row);
  const active = file?.active;
  return {
    file,
    lease,
    context: {
      role: evidenceRole(caller),
      caller: caller.name,
      bound: service !== null && isBoundTo(caller, service),
      isIdTaken,
      active: active === undefined ? null : { revision: active.revision, attempt: active.attempt.attempt },
      newest: file?.newest ?? 0,
      command: pick(command, 'kind', 'service', 'revision', 'attempt', 'fence') ?? null,
      lease:
        row === undefined
          ? null
          : lease === undefined
            ? // Nothing is admitted under a lease that cannot be read.
              { caller: readable(row).caller ?? NAMELESS, ended: true, lastSeq: null }
            : { caller: lease.caller, ended: lease.endedAt !== null, lastSeq: lease.lastSeq },
      artifactHeld: await isHeld(door, item),
    },
  };
}

/** `artifact.stored` is true only of bytes that our store holds. */
async function isHeld(door: Door, item: SubmittedItem): Promise<boolean> {
  if (item.kind !== 'artifact.stored') return true;
  const digest = digestOf(item.body);
  if (digest === null) return false;
  return (await door.tx.get('artifacts', { org: door.org, digest })) !== undefined;
}

function digestOf(body: unknown): string | null {
  const digest = (body as { digest?: unknown } | null)?.digest;
  return typeof digest === 'string' ? digest : null;
}

function repeat(id: string, { position, reason }: Pick<EvidenceIdRow, 'position' | 'reason'>): ItemResult {
  if (reason === null) return { id, verdict: 'admitted', position, duplicate: true };
  return { id, verdict: 'rejected', reason, position, duplicate: true };
}

/**
 * Rejects an item that is not even an envelope, with its readable parts. A readable id is taken from then on.
 */
async function rejectMalformed(door: Door, source: Source, input: unknown): Promise<ItemResult> {
  const fields = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
  const text = (key: string) =>
    typeof fields[key] === 'string' ? (fields[key] as string).slice(0, 200) : null;
  const { org, tx } = door;
  const id = text('id') ?? '';
  const first = { org, source: sourceKey(source), id };
  const said = canonicalJson(['unreadable', input]);
  const original = await tx.get('evidenceIds', first);
  const earlier = pick(original, 'body', 'position', 'reason');
  if (earlier !== undefined && earlier.body === said) return repeat(id, earlier);
  const service = serviceRef(text('service') ?? '');
  const draft = { kind: text('kind') ?? '', source, service, id, body: storedBody(input) };
  const { position, isOwnRow } = await rejectWithin(door, draft, 'invalid', COMPONENT_QUOTA);
  if (isOwnRow && original === undefined && isId(fields.id))
    await tx.append('evidenceIds', { body: said, ...first, position, reason: 'invalid' });
  return { id, verdict: 'rejected', reason: 'invalid', position };
}

const isId = (id: unknown) => itemSchema.shape.id.safeParse(id).success;

const STORED_CHARS = 4096;

/** The body of rejected evidence, for operators: complete, or the beginning of its text. */
function storedBody(body: unknown): unknown {
  const text = JSON.stringify(body) ?? 'null';
  return text.length <= STORED_CHARS ? JSON.parse(text) : { beginning: text.slice(0, STORED_CHARS) };
}
