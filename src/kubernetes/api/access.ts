import { readFileSync } from 'node:fs';
import type { Authenticator } from '@kubernetes/client-node/dist/auth.js';
import { Deadline } from './deadline.ts';
import {
  IN_CLUSTER,
  type KubeconfigOptions,
  type KubeTarget,
  type KubeUser,
  readKubeconfig,
  refusedConfig,
  SERVICE_ACCOUNT,
} from './kubeconfig.ts';
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
  /** We are a pod of the cluster, by its service account, and reach other pods at their addresses. */
  readonly isInside: boolean;
  /** Reads files and runs plugins; `renewed` forgets what was read before, for after a 401. */
  credentials(options: { readonly renewed: boolean }): Promise<ApiCredentials>;
}

/** An exec plugin may wait for a browser that nobody looks at. */
const PLUGIN_MS = 30_000;

/** Opens the way to a cluster. client-node runs the plugins that sign in, and nothing else. */
export async function openAccess(options: KubeconfigOptions = {}): Promise<ClusterAccess> {
  let target = readKubeconfig(options);
  const { cluster, context } = target;
  if (cluster.proxyUrl)
    throw refusedConfig(
      `The cluster of context “${context.name}” is behind a proxy-url, which is not supported.`,
    );
  let plugin = await pluginOf(target.user);
  return {
    server: serverUrl(cluster.server),
    context: context.name,
    namespace: context.namespace || 'default',
    isInside: context.name === IN_CLUSTER && target.user?.tokenFile?.startsWith(SERVICE_ACCOUNT) === true,
    async credentials({ renewed }) {
      if (renewed) {
        target = readKubeconfig(options);
        plugin = await pluginOf(target.user);
      }
      return readCredentials(target, plugin);
    },
  };
}

/** The plugin that signs this user in; it remembers its token until that expires. */
async function pluginOf(user: KubeUser | null): Promise<Authenticator | null> {
  if (user === null) return null;
  const name: unknown = user.authProvider?.name;
  if (user.exec || name === 'exec' || user.authProvider?.config?.exec)
    return new (await import('@kubernetes/client-node/dist/exec_auth.js')).ExecAuth();
  if (name === 'oidc')
    return new (await import('@kubernetes/client-node/dist/oidc_auth.js')).OpenIDConnectAuth();
  if (name === 'gcp')
    return new (await import('@kubernetes/client-node/dist/gcp_auth.js')).GoogleCloudPlatformAuth();
  if (name === 'azure') return new (await import('@kubernetes/client-node/dist/azure_auth.js')).AzureAuth();
  if (name !== undefined)
    throw refusedConfig(`The kubeconfig wants the auth-provider ${name}, which is not supported.`);
  return null;
}

async function readCredentials(
  { cluster, user }: KubeTarget,
  plugin: Authenticator | null,
): Promise<ApiCredentials> {
  try {
    const signed = plugin === null || user === null ? {} : await signIn(plugin, user);
    const ca = fileOrData(cluster.caFile, cluster.caData);
    const cert = signed.cert ?? fileOrData(user?.certFile, user?.certData);
    const key = signed.key ?? fileOrData(user?.keyFile, user?.keyData);
    return {
      headers: {
        ...authorization(user),
        ...lowerCase(signed.headers ?? {}),
        ...(user?.impersonateUser ? { 'impersonate-user': user.impersonateUser } : {}),
      },
      tls: {
        ...(ca === undefined ? {} : { ca }),
        ...(cert === undefined ? {} : { cert }),
        ...(key === undefined ? {} : { key }),
        ...(cluster.skipTLSVerify ? { rejectUnauthorized: false } : {}),
        ...(cluster.tlsServerName ? { servername: cluster.tlsServerName } : {}),
      },
    };
  } catch (error) {
    if (error instanceof ApiFailure) throw error;
    const message = `The kubeconfig’s credentials cannot be read: ${error instanceof Error ? error.message : error}`;
    throw new ApiFailure({ kind: 'unauthorized', message });
  }
}

/** A token file wins over a token, and a token over a password, as in kubectl. */
function authorization(user: KubeUser | null): Record<string, string> {
  // A token file ends with a line break more often than not.
  const token = user?.tokenFile ? readFileSync(user.tokenFile, 'utf8').trim() : user?.token;
  if (token) return { authorization: `Bearer ${token}` };
  if (!user?.username) return {};
  const basic = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64');
  return { authorization: `Basic ${basic}` };
}

/** The fields that a plugin fills in. */
interface PluginAnswer {
  cert?: string | Buffer;
  key?: string | Buffer;
  headers?: Record<string, unknown>;
}

async function signIn(plugin: Authenticator, user: KubeUser): Promise<PluginAnswer> {
  const deadline = new Deadline(undefined, PLUGIN_MS, 'the kubeconfig’s authentication plugin');
  const expired = new Promise<never>((_, reject) => {
    deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason), { once: true });
  });
  const applied: Parameters<Authenticator['applyAuthentication']>[1] & PluginAnswer = { headers: {} };
  try {
    await Promise.race([plugin.applyAuthentication(user, applied), expired]);
    return applied;
  } finally {
    deadline.lift();
  }
}

const lowerCase = (headers: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value).trim()]),
  );

function fileOrData(file: string | undefined, data: string | undefined): Buffer | undefined {
  if (file) return readFileSync(file);
  return data ? Buffer.from(data, 'base64') : undefined;
}

function serverUrl(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw refusedConfig(`The kubeconfig names ${server} as the API server, which is no address.`);
  return url;
}
