import type { DeadlineName, Spec } from '../contract/intent.ts';
import { type COLUMNS, type ColumnKind, UNREADABLE } from './columns.ts';
import type { Table } from './schema.ts';

type Shape = (value: unknown) => boolean;
type Json = Readonly<Record<string, unknown>>;

type JsonColumns = {
  readonly [T in Table as JsonIn<T> extends never ? never : T]: { readonly [C in JsonIn<T>]: Shape };
};
type JsonIn<T extends Table> = {
  [C in keyof (typeof COLUMNS)[T]]: (typeof COLUMNS)[T][C] extends 'json' ? C : never;
}[keyof (typeof COLUMNS)[T]];

/**
 * The shape that each column of JSON must have, so that its readers do not fail on it. Checked by hand and no
 * deeper than the readers look, because every read of a row pays for it. JSON's own null has no shape: an
 * empty column is null in SQL.
 *
 * Readers of facts and settings check their contents themselves, and `fold` checks the body of evidence by
 * its kind.
 */
const SHAPES: JsonColumns = {
  services: { proven: isObject },
  checkpoints: { proven: isObject },
  settings: { settings: isObject },
  revisions: {
    origin: isOrigin,
    port: isPort,
    command: isCommand,
    deadlines: isDeadlines,
    accepts: (stamps) => Array.isArray(stamps) && stamps.every(isStamp),
    spec: isSpec,
    git: (git) => isObject(git) && isText(git.sha),
    declared: isTexts,
  },
  attempts: { command: isCommand },
  agents: { places: isPlaces },
  scopes: { notes: isObject },
  targets: { observation: isObservationRule },
  registrations: { places: isPlaces },
  workers: { kinds: isTexts },
  ledger: {
    source: (source) =>
      isObject(source) && isText(source.role) && isText(source.name) && isText(source.instance),
    body: (body) => body !== null,
  },
  keys: { made: isKeyResult },
  webhooks: {
    events: isTexts,
    filter: isObject,
    incidents: (all) => isObject(all) && Object.values(all).every(isIncident),
  },
  deliveries: { told: (told) => isObject(told) && isText(told.event) && isText(told.at) },
};

/** The value, if it has the shape of its column; `UNREADABLE` otherwise. */
export function inShape(table: Table, column: string, kind: ColumnKind, value: unknown): unknown {
  if (kind !== 'json' || value === UNREADABLE) return value;
  const shapes = (SHAPES as Readonly<Record<string, Readonly<Record<string, Shape>>>>)[table];
  return shapes?.[column]?.(value) === true ? value : UNREADABLE;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isText = (value: unknown) => typeof value === 'string';
const isInteger = (value: unknown) => Number.isInteger(value);

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isCommand(value: unknown): boolean {
  return isText(value) || (isTexts(value) && (value as unknown[]).length > 0);
}

function isStamp(value: unknown): boolean {
  return isObject(value) && isInteger(value.revision) && isInteger(value.attempt);
}

function isPort(value: unknown): boolean {
  return value === 'auto' || isInteger(value);
}

function isOrigin(value: unknown): boolean {
  if (!isObject(value)) return false;
  switch (value.kind) {
    case 'source':
    case 'artifact':
      return isText(value.digest);
    case 'image':
      return isText(value.image);
    default:
      return value.kind === 'observe' || value.kind === 'none';
  }
}

const DEADLINES = [
  'publishMs',
  'queueMs',
  'buildMs',
  'applyQueueMs',
  'applyMs',
  'startMs',
  'degradedMs',
  'stopMs',
] as const satisfies readonly DeadlineName[];

/** Judging computes with every deadline, so each must be a number. */
function isDeadlines(value: unknown): boolean {
  return isObject(value) && DEADLINES.every((name) => isInteger(value[name]));
}

const SPEC: { readonly [F in keyof Spec]-?: Shape } = {
  command: isCommand,
  procfile: isText,
  build: (build) => build === false || isText(build) || Array.isArray(build),
  root: isText,
  port: (port) => port === null || isPort(port),
  replicas: isInteger,
  env: (env) =>
    isObject(env) && Object.values(env).every((v) => isText(v) || (isObject(v) && isText(v.secret))),
  health: isObject,
  route: (route) => isObject(route) && isText(route.host),
  stabilityMs: isInteger,
  deadlines: (deadlines) => isObject(deadlines) && Object.values(deadlines).every(isInteger),
  concurrency: isText,
  kubernetes: isObject,
  badge: isText,
  runtime: isText,
};

/** Fields of a later version are ignored. */
function isSpec(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const name in value) {
    const shape = (SPEC as Readonly<Record<string, Shape>>)[name];
    if (shape !== undefined && !shape(value[name])) return false;
  }
  return true;
}

function isObservationRule(value: unknown): boolean {
  if (!isObject(value) || !isInteger(value.version) || !isInteger(value.since)) return false;
  const { namespaces } = value;
  return namespaces === null || (Array.isArray(namespaces) && namespaces.every(isText));
}

function isPlaces(value: unknown): boolean {
  if (!isObject(value) || !Array.isArray(value.runs) || !Array.isArray(value.retired)) return false;
  const isRun = (run: unknown) =>
    isObject(run) &&
    isText(run.identity) &&
    isText(run.epoch) &&
    isText(run.position) &&
    isInteger(run.at) &&
    (run.lastReports === undefined || isLastReports(run.lastReports));
  return (
    value.runs.every(isRun) &&
    value.retired.every((place) => isObject(place) && isText(place.identity) && isInteger(place.at))
  );
}

const isLastReports = (value: unknown) =>
  Array.isArray(value) &&
  value.every((report) => isObject(report) && isText(report.scope) && isInteger(report.asOf));

const isIncident = (value: unknown) => isObject(value) && isInteger(value.since) && isInteger(value.services);

function isKeyResult(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (value.kind === 'webhook') return isText(value.id);
  if (value.kind === 'target') return isText(value.target);
  return value.kind === 'token' && isText(value.org) && isText(value.id) && isText(value.salt);
}
