import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
// Only these files of client-node: its index and its KubeConfig load every API type there is, 80 MB and 0.4 s.
import {
  type Cluster,
  type Context,
  newClusters,
  newContexts,
  newUsers,
  type User,
} from '@kubernetes/client-node/dist/config_types.js';
import { parse } from 'yaml';
import { ApiFailure } from './problem.ts';

/** A user of a kubeconfig; `tokenFile` is read with each use, since it rotates. */
export type KubeUser = User & { readonly tokenFile?: string };

/** The cluster, user and context that the configuration points at. */
export interface KubeTarget {
  readonly cluster: Cluster;
  readonly user: KubeUser | null;
  readonly context: Context;
}

export interface KubeconfigOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

interface Merged {
  clusters: Cluster[];
  users: KubeUser[];
  contexts: Context[];
  current: string | undefined;
}

/** The context of a pod's own service account. */
export const IN_CLUSTER = 'in-cluster';
export const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Finds the cluster as kubectl does: the file named, else the files of KUBECONFIG, of which the first wins and any may
 * be missing, else ~/.kube/config, else the service account of the pod.
 */
export function readKubeconfig(options: KubeconfigOptions): KubeTarget {
  const environment = options.environment ?? process.env;
  const files = configFiles(options.kubeconfig, environment);
  const merged: Merged = { clusters: [], users: [], contexts: [], current: undefined };
  if (files.length === 0) addServiceAccount(merged, environment);
  for (const file of files) addFile(merged, file);
  const current = options.context ?? merged.current;
  const context = merged.contexts.find(({ name }) => name === current);
  const cluster = merged.clusters.find(({ name }) => name === context?.cluster);
  if (context === undefined || cluster === undefined)
    throw noCluster(merged, current, missingFiles(environment));
  return { cluster, context, user: merged.users.find(({ name }) => name === context.user) ?? null };
}

function configFiles(
  named: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  if (named !== undefined) {
    if (!existsSync(named)) throw refusedConfig(`No kubeconfig at ${named}.`);
    return [named];
  }
  const listed = (environment.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  const candidates = listed.length > 0 ? listed : [join(environment.HOME ?? homedir(), '.kube', 'config')];
  return candidates.filter((file) => existsSync(file));
}

function addFile(merged: Merged, file: string): void {
  const document = documentIn(file);
  const absolute = (path: string) => resolve(dirname(file), path);
  const missing = <T extends { readonly name: string }>(present: readonly T[], more: readonly T[]) =>
    more.filter(({ name }) => present.every((one) => one.name !== name));
  try {
    const clusters = newClusters(document.clusters).map((cluster) =>
      cluster.caFile ? { ...cluster, caFile: absolute(cluster.caFile) } : cluster,
    );
    const users = newUsers(document.users).map((user): KubeUser => {
      const { certFile, keyFile } = user;
      const tokenFile = document.users?.find(({ name }) => name === user.name)?.user?.tokenFile;
      return {
        ...user,
        ...(certFile ? { certFile: absolute(certFile) } : {}),
        ...(keyFile ? { keyFile: absolute(keyFile) } : {}),
        ...(tokenFile ? { tokenFile: absolute(tokenFile) } : {}),
      };
    });
    merged.clusters.push(...missing(merged.clusters, clusters));
    merged.users.push(...missing(merged.users, users));
    merged.contexts.push(...missing(merged.contexts, newContexts(document.contexts)));
  } catch (error) {
    throw refusedConfig(`${file} is not a kubeconfig: ${error instanceof Error ? error.message : error}`);
  }
  merged.current ??= document['current-context'] || undefined;
}

interface KubeconfigDocument {
  readonly clusters?: unknown;
  readonly contexts?: unknown;
  readonly users?: readonly { readonly name?: string; readonly user?: { readonly tokenFile?: string } }[];
  readonly 'current-context'?: string;
}

function documentIn(file: string): KubeconfigDocument {
  try {
    const document: unknown = parse(readFileSync(file, 'utf8'));
    if (typeof document === 'object' && document !== null) return document;
  } catch {
    // Said below.
  }
  throw refusedConfig(`${file} is not a kubeconfig.`);
}

function addServiceAccount(merged: Merged, environment: Readonly<Record<string, string | undefined>>): void {
  const tokenFile = join(SERVICE_ACCOUNT, 'token');
  const host = environment.KUBERNETES_SERVICE_HOST;
  if (host === undefined || !existsSync(tokenFile)) return;
  const address = host.includes(':') ? `[${host}]` : host;
  const server = `https://${address}:${environment.KUBERNETES_SERVICE_PORT ?? '443'}`;
  const namespaceFile = join(SERVICE_ACCOUNT, 'namespace');
  const namespace = existsSync(namespaceFile) ? readFileSync(namespaceFile, 'utf8').trim() : 'default';
  const name = IN_CLUSTER;
  merged.clusters.push({ name, server, caFile: join(SERVICE_ACCOUNT, 'ca.crt'), skipTLSVerify: false });
  merged.users.push({ name, tokenFile });
  merged.contexts.push({ name, cluster: name, user: name, namespace });
  merged.current = name;
}

/** The files of KUBECONFIG where none of them is there. */
function missingFiles({ KUBECONFIG = '' }: Readonly<Record<string, string | undefined>>): readonly string[] {
  const listed = KUBECONFIG.split(delimiter).filter((file) => file !== '');
  return listed.some((file) => existsSync(file)) ? [] : listed;
}

function noCluster(
  { contexts }: Merged,
  current: string | undefined,
  missing: readonly string[],
): ApiFailure {
  const names = contexts.map(({ name }) => name);
  if (names.length === 0 && missing.length > 0)
    return refusedConfig(
      `KUBECONFIG names ${missing.join(' and ')}, and there is no such file. Correct it, or name a kubeconfig with --kubeconfig.`,
    );
  if (names.length === 0)
    return refusedConfig('No kubeconfig found: name one with --kubeconfig, or set KUBECONFIG.');
  const known = `It has ${names.join(', ')}.`;
  if (!current)
    return refusedConfig(`The kubeconfig has no current context: name one with --context. ${known}`);
  return refusedConfig(`The kubeconfig has no context “${current}” with a cluster. ${known}`);
}

export const refusedConfig = (message: string) => new ApiFailure({ kind: 'refused', status: 0, message });
