import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { Refusal } from '../contract/refusal.ts';
import { networks } from '../webhooks/destination.ts';

/** The refusal of a setting, naming the setting and its origin. */
export class ConfigRefused extends Refusal {
  override readonly name = 'ConfigRefused';
}

export interface Config {
  readonly data: string;
  readonly host: string;
  readonly port: number;
  /** The port at which `up` and agents answer for services by host name; null: the API's port plus one. */
  readonly routerPort: number | null;
  /** The certificate for https at the router: a file with its chain, or a folder of pairs; null: no https. */
  readonly tlsCert: string | null;
  /** The key of the certificate; null where that is a folder of pairs. */
  readonly tlsKey: string | null;
  /** The router's port for https; null: the router's port plus one. */
  readonly tlsPort: number | null;
  /** The directory of artifacts, logs and the archive; null: the data directory. Servers of one database share it. */
  readonly files: string | null;
  /** Null: SQLite in the data directory. */
  readonly database: string | null;
  readonly freshForMs: number;
  readonly reportEveryMs: number;
  readonly leaseTtlMs: number;
  readonly metricsPublic: boolean;
  readonly keepDays: number;
  readonly keepRevisions: number;
  readonly maxJsonBytes: number;
  readonly maxReportBytes: number;
  readonly maxSourceBytes: number;
  readonly maxArtifactBytes: number;
  /** Limits the items of evidence, or lines of logs, in one request. */
  readonly maxItems: number;
  /** The longest that a request for work may wait. */
  readonly maxWaitMs: number;
  readonly maxPageItems: number;
  readonly maxStreams: number;
  readonly maxRequestsPerSecond: number;
  /** Networks beside the internet that webhooks may be sent to. */
  readonly webhookAllow: readonly string[];
}

type SettingOrigin = 'flag' | 'variable' | 'file' | 'default' | `derived from ${string}`;

interface Resolved {
  readonly config: Config;
  readonly origins: Readonly<Record<keyof Config, SettingOrigin>>;
}

interface Definition<V> {
  readonly variable: string;
  readonly fallback: V;
  readonly read: (value: unknown) => V;
  /** The expected value, for the sentence that refuses another. */
  readonly expected: string;
}

const integer = (min: number, max: number) => (value: unknown) => {
  const number = typeof value === 'number' ? value : /^\d+$/.test(String(value)) ? Number(value) : Number.NaN;
  if (!Number.isInteger(number) || number < min || number > max) throw new RangeError();
  return number;
};
const text = (value: unknown) => {
  if (typeof value !== 'string' || value === '') throw new TypeError();
  return value;
};
const flag = (value: unknown) => {
  if (value === true || value === 'true' || value === '1') return true;
  if (value === false || value === 'false' || value === '0') return false;
  throw new TypeError();
};
const postgresUrl = (value: unknown) => {
  const url = text(value);
  if (!/^postgres(ql)?:\/\//.test(url)) throw new TypeError();
  return url;
};

const ranges = (value: unknown) => {
  const all = (Array.isArray(value) ? value.map(String) : text(value).split(',')).map((range) =>
    range.trim(),
  );
  networks(all);
  return all;
};

const MS = 'a whole number of milliseconds, 100 or more';
const ms = integer(100, 24 * 3_600_000);
const COUNT = 'a whole number, 1 or more';
const count = integer(1, Number.MAX_SAFE_INTEGER);

/** Every setting: flag, else variable, else file, else default. The flag is the name in kebab case. */
const DEFINITIONS: { readonly [K in keyof Config]: Definition<Config[K]> } = {
  data: {
    variable: 'EVIDENT_DATA',
    fallback: join(homedir(), '.evident'),
    read: (value) => resolve(text(value)),
    expected: 'a directory',
  },
  files: {
    variable: 'EVIDENT_FILES',
    fallback: null,
    read: (value) => resolve(text(value)),
    expected: 'a directory',
  },
  host: { variable: 'EVIDENT_HOST', fallback: '127.0.0.1', read: text, expected: 'an address to listen on' },
  port: {
    variable: 'EVIDENT_PORT',
    fallback: 7717,
    read: integer(0, 65_535),
    expected: 'a port, 0 to 65535',
  },
  routerPort: {
    variable: 'EVIDENT_ROUTER_PORT',
    fallback: null,
    read: integer(0, 65_535),
    expected: 'a port, 0 to 65535; 0 takes any',
  },
  tlsCert: {
    variable: 'EVIDENT_TLS_CERT',
    fallback: null,
    read: (value) => resolve(text(value)),
    expected: 'a file, or a folder of pairs',
  },
  tlsKey: {
    variable: 'EVIDENT_TLS_KEY',
    fallback: null,
    read: (value) => resolve(text(value)),
    expected: 'a file',
  },
  tlsPort: {
    variable: 'EVIDENT_TLS_PORT',
    fallback: null,
    read: integer(0, 65_535),
    expected: 'a port, 0 to 65535; 0 takes any',
  },
  database: {
    variable: 'EVIDENT_DATABASE_URL',
    fallback: null,
    read: postgresUrl,
    expected: 'an address like postgres://user@host/name',
  },
  freshForMs: { variable: 'EVIDENT_FRESH_FOR_MS', fallback: 15_000, read: ms, expected: MS },
  reportEveryMs: { variable: 'EVIDENT_REPORT_EVERY_MS', fallback: 5_000, read: ms, expected: MS },
  leaseTtlMs: { variable: 'EVIDENT_LEASE_TTL_MS', fallback: 30_000, read: ms, expected: MS },
  metricsPublic: {
    variable: 'EVIDENT_METRICS_PUBLIC',
    fallback: false,
    read: flag,
    expected: 'true or false',
  },
  keepDays: { variable: 'EVIDENT_KEEP_DAYS', fallback: 90, read: count, expected: COUNT },
  keepRevisions: { variable: 'EVIDENT_KEEP_REVISIONS', fallback: 50, read: count, expected: COUNT },
  maxJsonBytes: { variable: 'EVIDENT_MAX_JSON_BYTES', fallback: 1 << 20, read: count, expected: COUNT },
  maxReportBytes: { variable: 'EVIDENT_MAX_REPORT_BYTES', fallback: 64 << 20, read: count, expected: COUNT },
  maxSourceBytes: { variable: 'EVIDENT_MAX_SOURCE_BYTES', fallback: 512 << 20, read: count, expected: COUNT },
  maxArtifactBytes: {
    variable: 'EVIDENT_MAX_ARTIFACT_BYTES',
    fallback: 2 * 1024 ** 3,
    read: count,
    expected: COUNT,
  },
  maxItems: {
    variable: 'EVIDENT_MAX_ITEMS',
    fallback: 1_000,
    // Builders and agents send up to 500 items at once.
    read: integer(500, Number.MAX_SAFE_INTEGER),
    expected: 'a whole number, 500 or more',
  },
  maxWaitMs: { variable: 'EVIDENT_MAX_WAIT_MS', fallback: 30_000, read: ms, expected: MS },
  maxPageItems: { variable: 'EVIDENT_MAX_PAGE_ITEMS', fallback: 200, read: count, expected: COUNT },
  maxStreams: { variable: 'EVIDENT_MAX_STREAMS', fallback: 2_000, read: count, expected: COUNT },
  maxRequestsPerSecond: {
    variable: 'EVIDENT_MAX_REQUESTS_PER_SECOND',
    fallback: 2_000,
    read: count,
    expected: COUNT,
  },
  webhookAllow: {
    variable: 'EVIDENT_WEBHOOK_ALLOW',
    fallback: [],
    read: ranges,
    expected: 'networks like 10.0.0.0/8, with commas between',
  },
};

export const SETTING_NAMES = Object.keys(DEFINITIONS) as (keyof Config)[];
export const variableOf = (name: keyof Config) => DEFINITIONS[name].variable;
export const flagOf = (name: string) =>
  `--${name.replace(/Ms$/, '').replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;

/**
 * Resolves each setting with its origin. The data directory is resolved first, because the configuration file
 * lies in it.
 */
export function resolveConfig(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Resolved {
  const origins = {} as Record<keyof Config, SettingOrigin>;
  const values = {} as Record<keyof Config, unknown>;
  const take = (name: keyof Config, file: Readonly<Record<string, unknown>>, path: string) => {
    const definition = DEFINITIONS[name] as Definition<unknown>;
    const sources: readonly (readonly [SettingOrigin, unknown, string])[] = [
      ['flag', flags[name], flagOf(name)],
      ['variable', env[definition.variable], definition.variable],
      ['file', file[name], `${name} in ${path}`],
    ];
    // An empty variable counts as not set. An empty flag is refused: it was meant to have a value (`--data
    // "$UNSET"`).
    if (flags[name] === '')
      throw new ConfigRefused(`${flagOf(name)} is empty; expected ${definition.expected}.`);
    const found = sources.find(([, value]) => value !== undefined && value !== '');
    origins[name] = found?.[0] ?? 'default';
    if (found === undefined) {
      values[name] = definition.fallback;
      return;
    }
    try {
      values[name] = definition.read(found[1]);
    } catch {
      throw new ConfigRefused(`${found[2]} is ${JSON.stringify(found[1])}; expected ${definition.expected}.`);
    }
  };
  take('data', {}, '');
  const path = join(values.data as string, 'config.yaml');
  const file = readConfigFile(path);
  for (const name of SETTING_NAMES) if (name !== 'data') take(name, file, path);
  return fitting({ config: values as unknown as Config, origins });
}

/** Reports per freshness: one may be late, and another lost. */
const REPORTS_WHILE_FRESH = 3;

/** Derives the time that was not set from the other, where its default does not fit. */
function fitting({ config, origins }: Resolved): Resolved {
  const { freshForMs, reportEveryMs } = config;
  const isSet = (name: 'freshForMs' | 'reportEveryMs') => origins[name] !== 'default';
  const often = Math.floor(freshForMs / REPORTS_WHILE_FRESH);
  if (isSet('freshForMs') && !isSet('reportEveryMs') && often < reportEveryMs)
    return {
      config: { ...config, reportEveryMs: often },
      origins: { ...origins, reportEveryMs: `derived from ${flagOf('freshForMs')}` },
    };
  if (isSet('reportEveryMs') && !isSet('freshForMs') && reportEveryMs >= freshForMs)
    return {
      config: { ...config, freshForMs: reportEveryMs * REPORTS_WHILE_FRESH },
      origins: { ...origins, freshForMs: `derived from ${flagOf('reportEveryMs')}` },
    };
  return { config, origins };
}

/**
 * Refuses times with which a report expires before the next one comes: every claim would be unknown now and
 * then (S2).
 */
export function assertTimes({ reportEveryMs, freshForMs }: Config): void {
  if (reportEveryMs < freshForMs) return;
  throw new ConfigRefused(
    `--report-every is ${reportEveryMs} and --fresh-for ${freshForMs}: what an agent reports would be too old before it reports again. Make --report-every a third of --fresh-for, or less.`,
  );
}

function readConfigFile(path: string): Readonly<Record<string, unknown>> {
  if (!existsSync(path)) return {};
  let found: unknown;
  try {
    found = parse(readFileSync(path, 'utf8')) ?? {};
  } catch (error) {
    throw new ConfigRefused(`${path} cannot be read: ${(error as Error).message.split('\n')[0]}`);
  }
  if (typeof found !== 'object' || Array.isArray(found))
    throw new ConfigRefused(`${path} is not a list of names and values.`);
  const unknown = Object.keys(found as object).filter(
    (name) => !SETTING_NAMES.includes(name as keyof Config),
  );
  if (unknown.length > 0)
    throw new ConfigRefused(
      `${path} names ${unknown.join(', ')}, which no setting is called; there are ${SETTING_NAMES.join(', ')}.`,
    );
  return found as Record<string, unknown>;
}
