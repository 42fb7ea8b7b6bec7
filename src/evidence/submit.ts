import { BODIES, type Body, type Item, type ItemResult, itemSchema } from '../contract/evidence.ts';
import { serviceRef, targetOf } from '../contract/intent.ts';
import type { Kind } from '../contract/vocabulary.ts';
import { canonicalJson } from '../store/canonical.ts';
import { type CommandRow, type EvidenceIdRow, type LeaseRow, sourceKey } from '../store/schema.ts';
import { admit } from './admit.ts';
import { type Caller, covers, evidenceRole, sourceOf } from './caller.ts';
import { type Door, type Draft, throughDoor } from './door.ts';
import type { Host } from './host.ts';
import { Intake } from './intake.ts';
import { acknowledge, ENDS, endLease } from './lease-end.ts';
import type { ServiceFile } from './service-file.ts';

/** One verdict per item, in order; one bad item never hurts its neighbours (F29). */
export function submit(host: Host, caller: Caller, items: readonly unknown[]): Promise<ItemResult[]> {
  return throughDoor(host, caller.org, async (door) => {
    const [results] = await submitThrough(door, [{ caller, items }]);
    return results ?? [];
  });
}

export interface Submission {
  readonly caller: Caller;
  readonly items: readonly unknown[];
}

/** Several submissions of one org, in order, through one door. */
export async function submitThrough(door: Door, submissions: readonly Submission[]): Promise<ItemResult[][]> {
  const intake = await Intake.open(door, submissions);
  const results: ItemResult[][] = [];
  for (const { caller, items } of submissions) {
    const verdicts: ItemResult[] = [];
    for (const item of items) verdicts.push(await submitOne(intake, caller, item));
    results.push(verdicts);
  }
  await intake.close();
  return results;
}

async function submitOne(intake: Intake, caller: Caller, input: unknown): Promise<ItemResult> {
  const { door } = intake;
  const parsed = itemSchema.safeParse(input);
  if (!parsed.success) return refuseUnreadable(intake, caller, input);
  const item = parsed.data;
  const source = sourceOf(caller, evidenceRole(caller) ?? 'operator');
  const { kind, service, revision, attempt, command, fence } = item;
  const said = canonicalJson([kind, service, revision, attempt, command, fence, item.body]);
  const first = { source: sourceKey(source), id: item.id, body: said };
  const original = intake.original(sourceKey(source), item.id);
  if (original !== undefined && original.body === said) return repeat(item.id, original);

  const body = BODIES[item.kind].safeParse(item.body);
  const known = await lookUp(intake, caller, item);
  const verdict = !body.success
    ? ({ verdict: 'rejected', reason: 'invalid' } as const)
    : admit({ ...known.context, original: original === undefined ? null : { sameBody: false } }, item);
  const draft: Draft = {
    id: item.id,
    kind: item.kind,
    source: known.lease === undefined ? source : { ...source, instance: known.lease.instance },
    service: item.service,
    revision: item.revision,
    attempt: item.attempt,
    command: item.command ?? null,
    fence: item.fence ?? null,
    seq: item.seq ?? null,
    observedAt: item.observedAt ?? null,
    body: (body.success ? body.data : {}) as Body<Kind>,
  };
  if (verdict.verdict !== 'admitted' || known.file === null || known.lease === undefined) {
    const reason = verdict.verdict === 'rejected' ? verdict.reason : 'not_owner';
    const position = await door.refuse(
      { ...draft, body: body.success ? body.data : kept(item.body) },
      reason,
    );
    if (reason === 'unissued' || reason === 'conflicting_duplicate') await door.alarm(reason, item.service);
    if (original === undefined) await intake.remember({ ...first, position, reason });
    return { id: item.id, verdict: 'rejected', reason, position };
  }
  const { position } = await admitUnderLease(intake, caller, known.file, known.lease, draft);
  await intake.remember({ ...first, position, reason: null });
  return { id: item.id, verdict: 'admitted', position };
}

/** The effect of admitted evidence on its lease, its command and the claim, in that order. */
async function admitUnderLease(
  intake: Intake,
  caller: Caller,
  file: ServiceFile,
  lease: LeaseRow,
  draft: Draft,
) {
  const { door } = intake;
  const ends = ENDS[draft.kind];
  if (lease.acknowledgedAt === null || ends !== undefined) intake.forget(lease);
  const held = lease.acknowledgedAt === null ? await acknowledge(door, file, lease, caller) : lease;
  if (draft.seq) intake.sequence(held, draft.seq);
  if (ends !== undefined) {
    const cancelling = file.active?.attempt.cancel !== null;
    // Acknowledging a cancel that nobody asked for gives the command back.
    const state = cancelling ? 'cancelled' : ends.state === 'cancelled' ? 'published' : ends.state;
    await endLease(door, held, ends.end, state);
  }
  return door.admit(file, draft);
}

interface Known {
  readonly file: ServiceFile | null;
  readonly lease: LeaseRow | undefined;
  readonly context: Omit<Parameters<typeof admit>[0], 'original'>;
}

async function lookUp(intake: Intake, caller: Caller, item: Item): Promise<Known> {
  const { door } = intake;
  const service = serviceRef(item.service);
  const file = service === null ? null : await door.file(service);
  const { command, lease } = await intake.held(item.command ?? null, item.fence ?? null);
  const active = file?.active;
  return {
    file,
    lease,
    context: {
      role: evidenceRole(caller),
      caller: caller.name,
      bound: service !== null && covers(caller.service, service) && covers(caller.target, targetOf(service)),
      active: active === undefined ? null : { revision: active.revision, attempt: active.attempt.attempt },
      newest: file?.newest ?? 0,
      command: command === undefined ? null : commandContext(command),
      lease:
        lease === undefined
          ? null
          : { caller: lease.caller, ended: lease.endedAt !== null, lastSeq: lease.lastSeq },
      artifactHeld: await isHeld(door, item),
    },
  };
}

function commandContext({ kind, service, revision, attempt, fence }: CommandRow) {
  return { kind, service, revision, attempt, fence };
}

/** `artifact.stored` is true only of bytes that our store holds. */
async function isHeld(door: Door, item: Item): Promise<boolean> {
  if (item.kind !== 'artifact.stored') return true;
  const digest = (item.body as { digest?: unknown } | null)?.digest;
  if (typeof digest !== 'string') return false;
  return (await door.tx.get('artifacts', { org: door.org, digest })) !== undefined;
}

function repeat(id: string, original: EvidenceIdRow): ItemResult {
  const { position, reason } = original;
  if (reason === null) return { id, verdict: 'admitted', position, duplicate: true };
  return { id, verdict: 'rejected', reason, position, duplicate: true };
}

/** Not even an envelope: kept under what can be read of it. An id that can be read is taken from then on. */
async function refuseUnreadable(intake: Intake, caller: Caller, input: unknown): Promise<ItemResult> {
  const given = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
  const text = (key: string) =>
    typeof given[key] === 'string' ? (given[key] as string).slice(0, 200) : null;
  const from = sourceOf(caller, evidenceRole(caller) ?? 'operator');
  const id = text('id') ?? '';
  const first = { source: sourceKey(from), id, body: canonicalJson(['unreadable', input]) };
  const original = intake.original(first.source, id);
  if (original !== undefined && original.body === first.body) return repeat(id, original);
  const service = serviceRef(text('service') ?? '');
  const position = await intake.door.refuse(
    { kind: text('kind') ?? '', source: from, service, id, body: kept(input) },
    'invalid',
  );
  if (original === undefined && isId(given.id))
    await intake.remember({ ...first, position, reason: 'invalid' });
  return { id, verdict: 'rejected', reason: 'invalid', position };
}

const isId = (id: unknown) => itemSchema.shape.id.safeParse(id).success;

const KEPT_CHARS = 4096;

/** What was refused, so that an operator can see it: whole, or the beginning of its text. */
function kept(body: unknown): unknown {
  const text = JSON.stringify(body) ?? 'null';
  return text.length <= KEPT_CHARS ? JSON.parse(text) : { beginning: text.slice(0, KEPT_CHARS) };
}
