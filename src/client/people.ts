import { randomUUID } from 'node:crypto';
import type {
  ActionAnswer,
  AgentView,
  AttemptView,
  CommandView,
  EvidenceView,
  InstanceView,
  LogLineView,
  NewTokenView,
  ObservationView,
  Page,
  RevisionView,
  ServiceItem,
  ServiceView,
  SessionView,
  SignInLinkView,
  TargetView,
  TokenView,
  WholeRevisionView,
  WorkerView,
} from '../contract/answers/views.ts';
import type {
  DeliveryView,
  NewWebhookView,
  SentDelivery,
  WebhookView,
} from '../contract/answers/webhooks.ts';
import type { Claim } from '../contract/claim.ts';
import type { Git } from '../contract/intent.ts';
import type { ConfigurationChange } from '../contract/spec-fields.ts';
import type { State } from '../contract/vocabulary.ts';
import { type CallOptions, type Client, ProblemAnswer, Unreachable, unexpectedAnswer } from './client.ts';
import { type FollowOptions, follow, type StreamEvent } from './events.ts';
import { repeat } from './repeat.ts';

/** The origin of a deployment that sends no folder. */
export type RequestedOrigin =
  | { readonly image: string }
  | { readonly artifact: string }
  | { readonly observe: true };

interface LogFilter {
  readonly stream?: 'build' | 'run';
  readonly revision?: number;
  readonly attempt?: number;
  readonly instance?: string;
  readonly tail?: number;
}

const READ_MS = 15_000;
const ACT_MS = 30_000;
const UPLOAD_MS = 30 * 60_000;
/**
 * The time for which an action of unknown outcome is repeated. Its idempotency key makes it one action, however often
 * it arrives (S7).
 */
const REPEAT_FOR_MS = 20_000;
const PAGE = 200;
const CLAIM_FIELDS = ['service', 'state', 'desired', 'proof', 'freshness', 'message', 'next'] as const;

interface PeopleOptions {
  readonly signal?: AbortSignal;
  readonly key?: () => string;
  /** Called with the names of items that belong to a list and can no longer be read (F56). */
  readonly unreadable?: (names: readonly string[]) => void;
}

/** The calls of people and scripts, one typed method each. */
export class People {
  readonly client: Client;
  readonly #signal: AbortSignal | null;
  readonly #key: () => string;
  readonly #unreadable: (names: readonly string[]) => void;

  constructor(client: Client, { signal, key = randomUUID, unreadable = () => {} }: PeopleOptions = {}) {
    this.client = client;
    this.#signal = signal ?? null;
    this.#key = key;
    this.#unreadable = unreadable;
  }

  /**
   * Deploys a folder. `form` must produce the same bytes at each call, because a request of unknown outcome
   * is sent again.
   */
  deploySource(
    ref: string,
    form: () => { type: string; bytes: AsyncIterable<Uint8Array> },
  ): Promise<ActionAnswer> {
    return this.#once((headers) => {
      const { type, bytes } = form();
      return this.client.upload('POST', `${of(ref)}/deployments`, bytes, {
        ...this.#within(UPLOAD_MS),
        headers: { ...headers, 'content-type': type },
      });
    });
  }

  deployNamed(
    ref: string,
    named: RequestedOrigin | { readonly source: true },
    change: ConfigurationChange,
    git: Git | null,
    isDry = false,
  ): Promise<ActionAnswer> {
    const path = `${of(ref)}/deployments${dry(isDry)}`;
    return this.#act('POST', path, { ...named, ...change, ...(git && { git }) });
  }

  configure(
    ref: string,
    change: Omit<ConfigurationChange, 'declared'>,
    isDry: boolean,
  ): Promise<ActionAnswer> {
    return this.#act('POST', `${of(ref)}/configuration${dry(isDry)}`, change);
  }

  rollback(ref: string, to: number | null, isDry = false): Promise<ActionAnswer> {
    return this.#act('POST', `${of(ref)}/rollbacks${dry(isDry)}`, to === null ? {} : { to });
  }

  retry(ref: string): Promise<ActionAnswer> {
    return this.#act('POST', `${of(ref)}/retries`, {});
  }

  cancel(ref: string, revision: number | null): Promise<ActionAnswer> {
    return this.#act('POST', `${of(ref)}/cancellations`, revision === null ? {} : { revision });
  }

  restart(ref: string): Promise<ActionAnswer> {
    return this.#act('POST', `${of(ref)}/restarts`, {});
  }

  scale(ref: string, replicas: number): Promise<ActionAnswer> {
    return this.#act('POST', `${of(ref)}/scalings`, { replicas });
  }

  teardown(ref: string, forced: { readonly reason: string } | null, isDry = false): Promise<ActionAnswer> {
    const query = new URLSearchParams({
      ...(forced === null ? {} : { force: 'true', reason: forced.reason }),
      ...(isDry ? { dryRun: 'true' } : {}),
    });
    return this.#act('DELETE', `${of(ref)}${query.size === 0 ? '' : `?${query}`}`);
  }

  createToken(token: object): Promise<NewTokenView> {
    return this.#act('POST', '/v1/tokens', token);
  }

  revokeToken(id: string): Promise<null> {
    return this.#act('DELETE', `/v1/tokens/${encodeURIComponent(id)}`);
  }

  tokens(): Promise<readonly TokenView[]> {
    return this.#list('/v1/tokens');
  }

  createWebhook(wishes: object): Promise<NewWebhookView> {
    return this.#act('POST', '/v1/webhooks', wishes);
  }

  webhooks(): Promise<readonly WebhookView[]> {
    return this.#list('/v1/webhooks');
  }

  removeWebhook(id: string): Promise<null> {
    return this.#act('DELETE', webhook(id));
  }

  testWebhook(id: string): Promise<SentDelivery> {
    return this.#act('POST', `${webhook(id)}/test`, {});
  }

  deliveries(id: string, state?: string): Promise<DeliveryView[]> {
    return this.#all(`${webhook(id)}/deliveries`, state === undefined ? {} : { state });
  }

  redeliver(id: string, delivery: string): Promise<SentDelivery> {
    return this.#act('POST', `${webhook(id)}/deliveries/${encodeURIComponent(delivery)}/redeliver`, {});
  }

  /** The person that the token belongs to. */
  session(): Promise<SessionView> {
    return this.#read('/v1/sessions', ['role', 'org', 'name']);
  }

  /** A one-time link that signs a browser in as this person. */
  signInLink(): Promise<SignInLinkView> {
    return this.#act('POST', '/v1/sessions/links');
  }

  status(ref: string, at: string | null = null): Promise<Claim> {
    const query = at === null ? '' : `?${new URLSearchParams({ at })}`;
    return this.#read(`${of(ref)}/status${query}`, CLAIM_FIELDS);
  }

  service(ref: string): Promise<ServiceView> {
    return this.#read(of(ref), ['ref', 'urls', 'claim']);
  }

  services(filter: { state?: State; target?: string; hidden?: 'true' } = {}): Promise<ServiceItem[]> {
    return this.#all('/v1/services', { ...filter });
  }

  revision(ref: string, revision: number): Promise<RevisionView> {
    return this.#read(`${of(ref)}/revisions/${revision}`, ['revision', 'attempts']);
  }

  /** A revision with its spec, and what it changes: against `against`, or else against the one before. */
  wholeRevision(ref: string, revision: number, against: number | null): Promise<WholeRevisionView> {
    const query = against === null ? '' : `?against=${against}`;
    return this.#read(`${of(ref)}/revisions/${revision}${query}`, ['revision', 'spec', 'changes']);
  }

  attempt(ref: string, revision: number, attempt: number): Promise<AttemptView> {
    return this.#read(`${of(ref)}/revisions/${revision}/attempts/${attempt}`, ['attempt']);
  }

  revisions(ref: string, limit: number): Promise<RevisionView[]> {
    return this.#all(`${of(ref)}/revisions`, {}, limit);
  }

  /** The oldest `limit` items, in ledger order. */
  evidence(ref: string, verdict: string | null, limit?: number): Promise<EvidenceView[]> {
    return this.#all(`${of(ref)}/evidence`, verdict === null ? {} : { verdict }, limit);
  }

  /** All rejected evidence of the org, in ledger order. */
  rejected(): Promise<EvidenceView[]> {
    return this.#all('/v1/evidence', { verdict: 'rejected' });
  }

  instances(ref: string, at: string | null): Promise<readonly InstanceView[]> {
    return this.#list(`${of(ref)}/instances${at === null ? '' : `?at=${encodeURIComponent(at)}`}`);
  }

  agents(): Promise<readonly AgentView[]> {
    return this.#list('/v1/agents');
  }

  workers(): Promise<readonly WorkerView[]> {
    return this.#list('/v1/workers');
  }

  commands(): Promise<readonly CommandView[]> {
    return this.#list('/v1/commands');
  }

  retirePlace(
    target: string,
    place: { readonly identity: string; readonly reason: string },
  ): Promise<object> {
    return this.#act('POST', `/v1/targets/${encodeURIComponent(target)}/retirements`, place);
  }

  observe(
    target: string,
    rule: { readonly namespaces: readonly string[]; readonly selector: string | null; readonly ask: boolean },
  ): Promise<ObservationView> {
    return this.#act('PUT', observationPath(target), rule);
  }

  stopObserving(target: string): Promise<ObservationView> {
    return this.#act('DELETE', observationPath(target));
  }

  targets(): Promise<readonly TargetView[]> {
    return this.#list('/v1/targets');
  }

  async logs(ref: string, query: LogFilter): Promise<LogLineView[]> {
    const bytes = await this.client.download(logPath(ref, query), this.#within(READ_MS));
    const text = Buffer.concat(await bytes.toArray()).toString('utf8');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as LogLineView);
  }

  followLogs(ref: string, query: LogFilter, options: FollowOptions): AsyncGenerator<StreamEvent> {
    return follow(this.client, logPath(ref, query, true), options);
  }

  watch(ref: string, options: FollowOptions): AsyncGenerator<StreamEvent> {
    return follow(this.client, `${of(ref)}/events`, options);
  }

  /** Refuses an answer without these fields, which is none of an Evident server. */
  async #read<T>(path: string, fields: readonly (keyof T & string)[]): Promise<T> {
    const answer = await this.client.call<T>('GET', path, undefined, this.#within(READ_MS));
    const has = (field: string) => typeof answer === 'object' && answer !== null && field in answer;
    if (!fields.every(has)) throw unexpectedAnswer(this.client.server);
    return answer;
  }

  async #page<T>(path: string): Promise<Page<T>> {
    const page = await this.#read<Page<T>>(path, ['items']);
    const isList = Array.isArray(page.items) && page.items.every((item) => typeof item === 'object' && item);
    if (!isList) throw unexpectedAnswer(this.client.server);
    if (page.unreadable !== undefined) this.#unreadable(page.unreadable);
    return page;
  }

  /** A list that comes in one answer. */
  async #list<T>(path: string): Promise<readonly T[]> {
    return (await this.#page<T>(path)).items;
  }

  /** All pages of a list, in the order of the server. */
  async #all<T>(
    path: string,
    filter: Record<string, string>,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<T[]> {
    const found: T[] = [];
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({ ...filter, limit: String(Math.min(PAGE, limit - found.length)) });
      if (cursor !== null) query.set('cursor', cursor);
      const page = await this.#page<T>(`${path}?${query}`);
      // The first page would be read again and again.
      if (page.cursor === undefined) throw unexpectedAnswer(this.client.server);
      found.push(...page.items);
      cursor = page.cursor;
    } while (cursor !== null && found.length < limit);
    return found;
  }

  #act<T = ActionAnswer>(method: string, path: string, body?: unknown): Promise<T> {
    return this.#once((headers) =>
      this.client.call(method, path, body, { ...this.#within(ACT_MS), headers }),
    );
  }

  /**
   * Sends one action under one idempotency key. If the answer leaves the outcome open, or the connection
   * broke after the request was sent, it is sent again with the same key. A server that was never reached is
   * not waited for.
   */
  #once<T>(send: (headers: Record<string, string>) => Promise<T>): Promise<T> {
    const headers = { 'idempotency-key': this.#key() };
    return repeat(() => send(headers), { may: isOutcomeUnknown, forMs: REPEAT_FOR_MS, signal: this.#signal });
  }

  #within(timeoutMs: number): CallOptions {
    return { timeoutMs, ...(this.#signal && { signal: this.#signal }) };
  }
}

const dry = (isDry: boolean) => (isDry ? '?dryRun=true' : '');

/** The outcome is unknown; sending again with the same key finds it out. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof ProblemAnswer)
    return error.code === 'outcome_unknown' || error.code === 'idempotency_in_progress';
  return error instanceof Unreachable && maybeSent(error);
}

/**
 * Error codes of connections that broke or timed out after they had been established. A server that was never
 * reached has received nothing.
 */
const BROKEN = [
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
];

function maybeSent({ cause }: Unreachable): boolean {
  for (let error: unknown = cause; error instanceof Error; error = error.cause)
    if (BROKEN.includes(String((error as { code?: unknown }).code)) || error.name === 'TimeoutError')
      return true;
  return false;
}

const observationPath = (target: string) => `/v1/targets/${encodeURIComponent(target)}/observation`;

const of = (ref: string) => `/v1/services/${encodeURIComponent(ref)}`;
const webhook = (id: string) => `/v1/webhooks/${encodeURIComponent(id)}`;

function logPath(ref: string, query: LogFilter, live = false): string {
  const params = new URLSearchParams(live ? { follow: '1' } : {});
  for (const [name, value] of Object.entries(query)) params.set(name, String(value));
  return `${of(ref)}/logs?${params}`;
}
