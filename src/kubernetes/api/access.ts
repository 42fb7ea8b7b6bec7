import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { parse } from 'yaml';
import { Deadline } from './deadline.ts';
import { ApiFailure } from './problem.ts';

/** Headers and TLS settings of one moment: tokens rotate, and exec plugins may issue certificates. */
export interface ApiCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: {
    readonly ca?: string | Buffer;
    readonly cert?: string | Buffer;
    readonly key?: string | Buffer;
    readonly rejectUnauthorized?: boolean;
    readonly servername?: string;
  };
}

/** The cluster that a kubeconfig or a service account names, and how to prove who we are there. */
export interface ClusterAccess {
  readonly server: URL;
  readonly context: string;
  /** The context's namespace, or `default`. */
  readonly namespace: string;
  /** Reads files and runs exec plugins; `renewed` forgets what was read before, for after a 401. */
  credentials(options: { readonly renewed: boolean }): Promise<ApiCredentials>;
}

interface AccessOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** An exec plugin may wait for a browser that nobody looks at. */
const CREDENTIALS_MS = 30_000;
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/**
 * Finds the cluster as kubectl does: the file named, else the files of KUBECONFIG, else ~/.kube/config, else the
 * service account of the pod. client-node reads the files and runs the authentication plugins, and nothing else.
 * Corrected here, since it differs from kubectl: files of KUBECONFIG may be missing and the first one wins, `tokenFile`
 * is read (and again when it rotates), a user is optional, and without any configuration there is no cluster at
 * http://localhost:8080.
 */
export async function openAccess(options: AccessOptions = {}): Promise<ClusterAccess> {
  // Takes 0.4 s and 60 MB: only programs that talk to a cluster load it.
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const read = () => readConfig(() => new KubeConfig(), options);
  let config = read();
  const context = config.getContextObject(config.currentContext);
  const cluster = config.getCurrentCluster();
  if (context === null || cluster === null) throw noCluster(config, options.context);
  if (cluster.proxyUrl !== undefined)
    throw refused(`The cluster of context “${context.name}” is behind a proxy-url, which is not supported.`);
  return {
    server: serverUrl(cluster.server),
    context: context.name,
    namespace: context.namespace || 'default',
    async credentials({ renewed }) {
      if (renewed) config = read();
      return credentialsOf(config);
    },
  };
}

function readConfig(create: () => KubeConfig, options: AccessOptions): KubeConfig {
  const environment = options.environment ?? process.env;
  const files = configFiles(options.kubeconfig, environment);
  const merged = create();
  if (files.length === 0 && existsSync(SERVICE_ACCOUNT)) merged.loadFromCluster();
  for (const file of files) addMissing(merged, loadFile(create(), file));
  if (options.context !== undefined) merged.setCurrentContext(options.context);
  return merged;
}

function configFiles(
  named: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  if (named !== undefined) {
    if (!existsSync(named)) throw refused(`There is no kubeconfig ${named}.`);
    return [named];
  }
  const listed = (environment.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  const candidates = listed.length > 0 ? listed : [join(environment.HOME ?? homedir(), '.kube', 'config')];
  return candidates.filter((file) => existsSync(file));
}

function loadFile(config: KubeConfig, file: string): KubeConfig {
  try {
    config.loadFromFile(file);
  } catch (error) {
    throw refused(`${file} is no kubeconfig: ${error instanceof Error ? error.message : error}`);
  }
  const document: { users?: { name?: string; user?: { tokenFile?: string; token?: string } }[] } | null =
    parse(readFileSync(file, 'utf8'));
  for (const { name, user } of document?.users ?? []) {
    if (typeof user?.tokenFile !== 'string') continue;
    const tokenFile = resolve(dirname(file), user.tokenFile);
    config.users = config.users.map((one) =>
      one.name === name
        ? { ...withoutToken(one), authProvider: { name: 'tokenFile', config: { tokenFile } } }
        : one,
    );
  }
  return config;
}

/** A token file wins over a token, as in kubectl. */
function withoutToken<T extends { readonly token?: string }>(user: T): Omit<T, 'token'> {
  const { token: _, ...rest } = user;
  return rest;
}

function addMissing(merged: KubeConfig, config: KubeConfig): void {
  const missing = <T extends { readonly name: string }>(present: readonly T[], more: readonly T[]) =>
    more.filter(({ name }) => present.every((one) => one.name !== name));
  merged.clusters = [...merged.clusters, ...missing(merged.clusters, config.clusters)];
  merged.users = [...merged.users, ...missing(merged.users, config.users)];
  merged.contexts = [...merged.contexts, ...missing(merged.contexts, config.contexts)];
  if (!merged.currentContext && config.currentContext) merged.setCurrentContext(config.currentContext);
}

async function credentialsOf(config: KubeConfig): Promise<ApiCredentials> {
  const deadline = new Deadline(undefined, CREDENTIALS_MS, 'the kubeconfig’s authentication plugin');
  const expired = new Promise<never>((_, reject) => {
    deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason), { once: true });
  });
  const applied: Parameters<KubeConfig['applyToHTTPSOptions']>[0] & Applied = {};
  try {
    await Promise.race([config.applyToHTTPSOptions(applied), expired]);
  } catch (error) {
    if (error instanceof ApiFailure) throw error;
    const message = `The kubeconfig’s credentials cannot be read: ${error instanceof Error ? error.message : error}`;
    throw new ApiFailure({ kind: 'unauthorized', message });
  } finally {
    deadline.lift();
  }
  const cluster = config.getCurrentCluster();
  const { ca = authorityOf(cluster), cert, key } = applied;
  const servername = cluster?.tlsServerName;
  const basic = applied.auth === undefined ? undefined : Buffer.from(applied.auth).toString('base64');
  return {
    headers: {
      ...(basic === undefined ? {} : { authorization: `Basic ${basic}` }),
      ...Object.fromEntries(
        // A token file ends with a line break more often than not.
        Object.entries(applied.headers ?? {}).map(([name, value]) => [
          name.toLowerCase(),
          String(value).trim(),
        ]),
      ),
    },
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(cluster?.skipTLSVerify ? { rejectUnauthorized: false } : {}),
      ...(servername === undefined ? {} : { servername }),
    },
  };
}

/** The fields that client-node fills in. */
interface Applied {
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
  auth?: string;
  headers?: Record<string, unknown>;
}

/** client-node fills in the authority only where there is a user. */
function authorityOf(cluster: ReturnType<KubeConfig['getCurrentCluster']>): Buffer | undefined {
  if (cluster?.caFile) return readFileSync(cluster.caFile);
  return cluster?.caData ? Buffer.from(cluster.caData, 'base64') : undefined;
}

function serverUrl(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw refused(`The kubeconfig names ${server} as the API server, which is no address.`);
  return url;
}

function noCluster(config: KubeConfig, wanted: string | undefined): ApiFailure {
  const names = config.contexts.map(({ name }) => name);
  if (names.length === 0)
    return refused('There is no kubeconfig: name one with --kubeconfig, or set KUBECONFIG.');
  const current = wanted ?? config.currentContext;
  const known = `It has ${names.join(', ')}.`;
  if (!current) return refused(`The kubeconfig has no current context: name one with --context. ${known}`);
  return refused(`The kubeconfig has no context “${current}” with a cluster. ${known}`);
}

const refused = (message: string) => new ApiFailure({ kind: 'refused', status: 0, message });
