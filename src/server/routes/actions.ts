import { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { actedSchema } from '../../contract/answers/claim.ts';
import { progressEventSchema } from '../../contract/answers/events.ts';
import { type Git, gitSchema, type Origin, type Spec } from '../../contract/intent.ts';
import { DIGEST, IMAGE_NAME } from '../../contract/names.ts';
import type { Answer } from '../../contract/problem.ts';
import { issues } from '../../contract/report.ts';
import { type ConfigurationChange, configurationChangeSchema } from '../../contract/spec-fields.ts';
import type { Acted, RequestKey } from '../../intent/acted.ts';
import { cancel } from '../../intent/cancel.ts';
import { deploy } from '../../intent/deploy.ts';
import { restart, rollback, scale } from '../../intent/derive.ts';
import { requestDeploy } from '../../intent/request-deploy.ts';
import { retry } from '../../intent/retry.ts';
import { teardown } from '../../intent/teardown.ts';
import { redact, redactName } from '../../redact/redact.ts';
import { NO_VALUES, SecretValues } from '../../redact/secret-values.ts';
import type { ServerContext } from '../context.ts';
import { idempotencyOf, REPLAYED } from '../http/idempotency.ts';
import { Refused } from '../http/problems.ts';
import { type Call, type Reply, type Route, route } from '../http/route.ts';
import { readForm, type StoredSource } from '../http/source-form.ts';
import { unwrap } from '../http/unwrap.ts';
import { secretsIn } from '../reads/secrets.ts';
import type { StreamSlot } from '../streams/feeds.ts';
import { resumesAfter, sendEvents, wantsStream } from '../streams/send-events.ts';
import { watch } from '../streams/watch.ts';

export const deploymentBody = z.strictObject({
  image: z
    .string()
    .max(512)
    .regex(IMAGE_NAME, 'is not an image reference: host/name:tag or host/name@sha256:…, without a login')
    .optional(),
  artifact: z.string().regex(DIGEST, 'must be sha256: and 64 hexadecimal digits').optional(),
  observe: z.literal(true).optional(),
  source: z.literal(true).optional().describe('In a dry run alone: a source would come with it.'),
  git: gitSchema.nullish(),
  ...configurationChangeSchema.shape,
});
type DeploymentBody = z.infer<typeof deploymentBody>;

const ACCEPTED = {
  200: 'a dry run: the same answer, and nothing is recorded',
  202: 'recorded: service, revision, attempt and the claim',
  404: 'not_found',
} as const;
const RECORDED = { 200: actedSchema, 202: actedSchema } as const;
const revision = z.int().min(1);
const dryRun = z
  .enum(['true', 'false'])
  .optional()
  .describe('`true`: decides and answers as if it were requested, and records nothing.');
type DryRun = { readonly dryRun?: 'true' | 'false' | undefined };

/** The actions that people request. Each is a revision, an attempt or a request on the ledger, never a flipped row. */
export function actionRoutes(context: ServerContext): Route[] {
  const { host } = context;
  return [
    route({
      method: 'POST',
      path: '/v1/services/:ref/deployments',
      access: 'act',
      summary:
        'Deploy: a source (multipart), an image, an artifact, what another tool runs, or a new configuration',
      takes: 'form_or_json',
      query: z.object({ dryRun }),
      body: deploymentBody,
      answers: {
        ...ACCEPTED,
        200: 'with Accept: text/event-stream, the progress until it is settled; or the answer to a dry run',
        409: 'deployment_in_progress, idempotency_conflict, no_artifact, managed_elsewhere, observe_only',
        413: 'too_large',
        422: 'source_rejected, artifact_missing, image_required',
      },
      gives: {
        ...RECORDED,
        200: { 'text/event-stream': progressEventSchema, 'application/json': actedSchema },
      },
      keyed: true,
      handle: (call) => deployment(context, call),
    }),
    route({
      method: 'POST',
      path: '/v1/services/:ref/configuration',
      access: 'act',
      summary: 'Change the configuration, as a new revision with the same artifact',
      query: z.object({ dryRun }),
      body: configurationChangeSchema.omit({ declared: true }),
      answers: { ...ACCEPTED, 409: 'no_artifact, managed_elsewhere' },
      gives: RECORDED,
      keyed: true,
      handle: async (call) =>
        acted(
          call,
          await deploy(host, call.caller, { service: ref(call), ...call.body }, keyOf(call, call.body)),
        ),
    }),
    route({
      method: 'POST',
      path: '/v1/services/:ref/rollbacks',
      access: 'act',
      summary: 'Go back to an earlier revision, as a new one',
      query: z.object({ dryRun }),
      body: z.object({ to: revision.optional() }),
      answers: { ...ACCEPTED, 409: 'no_artifact, nothing_to_roll_back, managed_elsewhere' },
      gives: RECORDED,
      keyed: true,
      handle: async (call) =>
        acted(
          call,
          await rollback(host, call.caller, ref(call), call.body.to ?? null, keyOf(call, call.body)),
        ),
    }),
    route({
      method: 'POST',
      path: '/v1/services/:ref/retries',
      access: 'act',
      summary: 'Another attempt of the active revision',
      query: z.object({ dryRun }),
      body: z.object({}),
      answers: { ...ACCEPTED, 409: 'retry_not_possible, and why; managed_elsewhere' },
      gives: RECORDED,
      keyed: true,
      handle: async (call) => acted(call, await retry(host, call.caller, ref(call), keyOf(call, call.body))),
    }),
    route({
      method: 'POST',
      path: '/v1/services/:ref/cancellations',
      access: 'act',
      summary: 'Cancel what is in progress, or a revision that waits',
      query: z.object({ dryRun }),
      body: z.object({ revision: revision.optional() }),
      answers: { ...ACCEPTED, 409: 'nothing_to_cancel, cancel_not_possible' },
      gives: RECORDED,
      keyed: true,
      handle: async (call) =>
        acted(
          call,
          await cancel(host, call.caller, ref(call), call.body.revision ?? null, keyOf(call, call.body)),
        ),
    }),
    route({
      method: 'POST',
      path: '/v1/services/:ref/restarts',
      access: 'act',
      summary: 'A new revision with the same artifact and spec',
      query: z.object({ dryRun }),
      body: z.object({}),
      answers: { ...ACCEPTED, 409: 'no_artifact, managed_elsewhere' },
      gives: RECORDED,
      keyed: true,
      handle: async (call) =>
        acted(call, await restart(host, call.caller, ref(call), keyOf(call, call.body))),
    }),
    route({
      method: 'POST',
      path: '/v1/services/:ref/scalings',
      access: 'act',
      summary: 'A new revision with another number of instances, keeping those there are',
      query: z.object({ dryRun }),
      body: z.object({ replicas: z.int().min(0).max(10_000) }),
      answers: { ...ACCEPTED, 409: 'no_artifact, managed_elsewhere' },
      gives: RECORDED,
      keyed: true,
      handle: async (call) =>
        acted(call, await scale(host, call.caller, ref(call), call.body.replicas, keyOf(call, call.body))),
    }),
    route({
      method: 'DELETE',
      path: '/v1/services/:ref',
      access: 'act',
      summary: 'Tear down. While it is unknown what runs, only an operator can, by force and with a reason',
      query: z.object({
        force: z.enum(['true', 'false']).optional(),
        reason: z.string().min(1).max(1000).optional(),
        dryRun,
      }),
      answers: {
        ...ACCEPTED,
        403: 'forbidden: force is an operator’s',
        409: 'state_unknown, managed_elsewhere',
      },
      gives: RECORDED,
      keyed: true,
      handle: async (call) => {
        const { force, reason } = call.query;
        if (force === 'true' && reason === undefined)
          throw new Refused('invalid_request', 'Say why: force=true needs a reason.', {
            errors: ['reason: required with force'],
          });
        const forced = force === 'true' ? { reason: redact(reason ?? '') } : null;
        return acted(call, await teardown(host, call.caller, ref(call), forced, keyOf(call, {})));
      },
    }),
  ];
}

/** The key of a request; of one that is only tried, none is used up. */
const keyOf = (
  call: Call<DryRun, unknown>,
  body: unknown,
  source: string | null = null,
): RequestKey | null => (call.query.dryRun === 'true' ? 'dry_run' : idempotencyOf(call, body, source));

const ref = (call: Pick<Call<unknown, unknown>, 'params'>) => call.params.ref ?? '';

async function deployment(
  context: ServerContext,
  call: Call<DryRun, DeploymentBody | undefined>,
): Promise<Reply> {
  // A client that follows the deployment takes its place first: without room nothing is recorded.
  const isFollowed = wantsStream(call.request) && call.query.dryRun !== 'true';
  const place = isFollowed ? context.feeds.enter(call.caller.org) : null;
  try {
    const answer = await recorded(context, call);
    if (!answer.ok || place === null) return acted(call, answer);
    return await follow(context, call, answer, place);
  } catch (error) {
    place?.leave();
    throw error;
  }
}

/** Answers a deployment with its own progress, until its attempt has an outcome. */
async function follow(
  context: ServerContext,
  call: Call<unknown, unknown>,
  { service, revision, attempt, replayed }: Acted,
  place: StreamSlot,
): Promise<Reply> {
  const request = { service, after: resumesAfter(call), place, until: { revision, attempt } };
  const events = await watch(context, call, request);
  const location = `/v1/services/${service}/revisions/${revision}`;
  sendEvents(context.log, call, events, { location, ...(replayed ? REPLAYED : {}) });
  return 'sent';
}

async function recorded(
  context: ServerContext,
  call: Call<DryRun, DeploymentBody | undefined>,
): Promise<Answer<Acted>> {
  const deployment = call.request.isMultipart()
    ? await fromForm(context, call)
    : fromJson(call.body ?? {}, call.query);
  const { origin, fingerprint } = deployment;
  const key = keyOf(call, fingerprint, origin?.kind === 'source' ? origin.digest : null);
  return recordDeployment(context.host, call.caller, ref(call), deployment, key);
}

/** Records a deployment as a front door has read it. */
export function recordDeployment(
  host: ServerContext['host'],
  caller: Caller,
  service: string,
  { origin, brings, change, git }: DeploymentRequest,
  key: RequestKey | null,
): Promise<Answer<Acted>> {
  const request = {
    service,
    ...(origin === undefined ? {} : { origin }),
    ...(brings === undefined ? {} : { brings }),
    ...change,
    git: git ? redactGit(git, change.spec) : null,
  };
  return requestDeploy(host, caller, request, key);
}

/** Redacts the text of commits, because every viewer sees it. */
function redactGit(git: Git, spec: Spec | undefined): Git {
  const values = spec === undefined ? NO_VALUES : new SecretValues(secretsIn(spec));
  return {
    ...git,
    sha: redactName(git.sha),
    ...(git.branch === undefined ? {} : { branch: redact(git.branch, values) }),
    ...(git.message === undefined ? {} : { message: redact(git.message, values) }),
  };
}

interface DeploymentRequest {
  readonly origin?: Origin;
  readonly brings?: StoredSource;
  readonly change: ConfigurationChange;
  readonly git?: Git | null;
  /** The part of the request that makes two requests the same. */
  readonly fingerprint: unknown;
}

/** Stands for the source of a dry run, whose bytes are not sent. */
const NO_BYTES = `sha256:${'0'.repeat(64)}`;

export function fromJson(body: DeploymentBody, { dryRun }: DryRun): DeploymentRequest {
  const { image, artifact, observe, source, git, ...change } = body;
  const origins: Origin[] = [];
  if (image !== undefined) origins.push({ kind: 'image', image });
  if (artifact !== undefined) origins.push({ kind: 'artifact', digest: artifact });
  if (observe) origins.push({ kind: 'observe' });
  if (source && dryRun === 'true') origins.push({ kind: 'source', digest: NO_BYTES });
  else if (source) throw invalid('Send the source as multipart; only a dry run leaves its bytes out.');
  if (origins.length > 1) throw invalid('Name one of image, artifact, observe and source, not several.');
  const [origin] = origins;
  if (origin === undefined && change.spec === undefined)
    throw invalid('Name an image, an artifact, observe or a spec, or send a source as multipart.');
  return { ...(origin && { origin }), change, git: git ?? null, fingerprint: body };
}

/** Reads a multipart request: the source is checked and stored while it arrives; the spec may carry `git`. */
async function fromForm(context: ServerContext, call: Call<unknown, unknown>): Promise<DeploymentRequest> {
  const form = await readForm(context, call);
  const { source, git = (form.spec as { git?: unknown }).git, ...change } = form;
  const { git: _git, ...spec } = form.spec as { git?: unknown };
  const configured = configurationChangeSchema.safeParse({ ...change, spec });
  const about = gitSchema.nullish().safeParse(git);
  if (!configured.success) throw invalid(...issues(configured.error));
  if (!about.success) throw invalid(...issues(about.error).map((issue) => `git.${issue}`));
  return {
    origin: { kind: 'source', digest: source.digest },
    brings: source,
    change: configured.data,
    git: about.data ?? null,
    fingerprint: { ...change, git: form.git ?? null },
  };
}

const invalid = (...errors: string[]) => new Refused('invalid_request', errors.join('; '), { errors });

function acted({ reply, query }: Call<unknown, unknown>, answer: Answer<Acted>): Reply {
  const { service, revision, attempt, rolledBackTo, changes, supersedes, replayed, claim } = unwrap(answer);
  const body = { service, revision, attempt, rolledBackTo, changes, supersedes, claim };
  if ((query as DryRun).dryRun === 'true') return { status: 200, body };
  if (replayed) reply.headers(REPLAYED);
  reply.header('location', `/v1/services/${service}/revisions/${revision}`);
  return { status: 202, body };
}
