import { createHash } from 'node:crypto';
import type { Answer } from '../../contract/problem.ts';
import { issues } from '../../contract/report.ts';
import type { Acted, RequestKey } from '../../intent/acted.ts';
import { cancel } from '../../intent/cancel.ts';
import { restart, rollback, scale } from '../../intent/derive.ts';
import { retry } from '../../intent/retry.ts';
import { teardown } from '../../intent/teardown.ts';
import { redact } from '../../redact/redact.ts';
import { canonicalJson } from '../../store/canonical.ts';
import type { ServerContext } from '../context.ts';
import { isKey } from '../http/idempotency.ts';
import { Refused } from '../http/problems.ts';
import { unwrap } from '../http/unwrap.ts';
import { deploymentBody, fromJson, recordDeployment } from '../routes/actions.ts';
import type { GraphqlCall } from './call.ts';
import { given } from './given.ts';
import { invalidArgument } from './problems.ts';

interface ServiceArguments {
  readonly service: string;
  readonly idempotencyKey?: string | null;
}

interface DeployInput extends ServiceArguments {
  readonly [field: string]: unknown;
}

/** The actions that people request. Each calls the verb that its route over HTTP calls. */
export function actionMutations({ host }: ServerContext) {
  return {
    deploy: async (_root: unknown, { input }: { readonly input: DeployInput }, call: GraphqlCall) => {
      const { service, idempotencyKey: _key, ...named } = given(input);
      // `observe: false` asks for nothing.
      const { observe, ...rest } = named;
      const body = deploymentBody.safeParse(observe === true ? named : rest);
      if (!body.success) throw invalidInput(issues(body.error));
      const key = keyOf('deploy', input, call);
      return acted(await recordDeployment(host, call.caller, service, fromJson(body.data, {}), key));
    },
    rollback: async (
      _root: unknown,
      args: ServiceArguments & { readonly to?: number | null },
      call: GraphqlCall,
    ) => {
      const key = keyOf('rollback', args, call);
      return acted(await rollback(host, call.caller, args.service, revisionOf('to', args.to), key));
    },
    retry: async (_root: unknown, args: ServiceArguments, call: GraphqlCall) =>
      acted(await retry(host, call.caller, args.service, keyOf('retry', args, call))),
    cancel: async (
      _root: unknown,
      args: ServiceArguments & { readonly revision?: number | null },
      call: GraphqlCall,
    ) => {
      const key = keyOf('cancel', args, call);
      return acted(await cancel(host, call.caller, args.service, revisionOf('revision', args.revision), key));
    },
    restart: async (_root: unknown, args: ServiceArguments, call: GraphqlCall) =>
      acted(await restart(host, call.caller, args.service, keyOf('restart', args, call))),
    scale: async (
      _root: unknown,
      args: ServiceArguments & { readonly replicas: number },
      call: GraphqlCall,
    ) => {
      const { service, replicas } = args;
      if (replicas < 0 || replicas > MAX_REPLICAS)
        throw invalidArgument(`replicas must be from 0 to ${MAX_REPLICAS}.`);
      return acted(await scale(host, call.caller, service, replicas, keyOf('scale', args, call)));
    },
    teardown: async (
      _root: unknown,
      args: ServiceArguments & { readonly force: boolean; readonly reason?: string | null },
      call: GraphqlCall,
    ) => {
      const { service, force, reason } = args;
      if (force && (reason == null || reason === '')) throw invalidArgument('Say why: force needs a reason.');
      const forced = force ? { reason: redact((reason ?? '').slice(0, MAX_REASON)) } : null;
      return acted(await teardown(host, call.caller, service, forced, keyOf('teardown', args, call)));
    },
  };
}

const MAX_REPLICAS = 10_000;
const MAX_REASON = 1_000;

function revisionOf(name: string, revision: number | null | undefined): number | null {
  if (revision == null || revision >= 1) return revision ?? null;
  throw invalidArgument(`${name} must be 1 or more.`);
}

/** The key with the fingerprint of the mutation and its arguments: the same key with others is a conflict (S7). */
function keyOf(
  mutation: string,
  { idempotencyKey, ...args }: Pick<ServiceArguments, 'idempotencyKey'>,
  { token }: GraphqlCall,
): RequestKey | null {
  if (idempotencyKey == null) return null;
  if (!isKey(idempotencyKey))
    throw invalidArgument(
      'An idempotencyKey has 1 to 255 printable characters of ASCII, and no quotation mark in it.',
    );
  const content = canonicalJson(['graphql', mutation, given(args)]);
  return {
    key: `${token.id} ${idempotencyKey}`,
    fingerprint: createHash('sha256').update(content).digest('hex'),
  };
}

const invalidInput = (errors: readonly string[]) =>
  new Refused('invalid_request', `The input is not valid: ${errors.join('; ').slice(0, 1000)}`, { errors });

function acted(answer: Answer<Acted>) {
  const { service, revision, attempt, rolledBackTo, changes, supersedes, claim } = unwrap(answer);
  return { service, revision, attempt, rolledBackTo, changes, supersedes, claim };
}
