import { readFileSync } from 'node:fs';
import type { Authenticator } from '@kubernetes/client-node/dist/auth.js';
import { Deadline } from './deadline.ts';
import { ExecPlugin, type PluginAnswer } from './exec-plugin.ts';
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

/** Signs a user in; remembers the token until that expires. Ends what it began when the signal aborts. */
type SignIn = (signal: AbortSignal) => Promise<PluginAnswer>;

/** Opens the way to a cluster. client-node signs in with the providers that it knows, and does nothing else. */
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

async function pluginOf(user: KubeUser | null): Promise<SignIn | null> {
  if (user === null) return null;
  const exec: unknown = user.exec ?? user.authProvider?.config?.exec;
  if (exec || user.authProvider?.name === 'exec') {
    const plugin = new ExecPlugin(exec);
    return (signal) => plugin.signIn(signal);
  }
  const provider = await providerOf(user);
  return provider === null ? null : (signal) => throughProvider(provider, user, signal);
}

async function providerOf(user: KubeUser): Promise<Authenticator | null> {
  const name: unknown = user.authProvider?.name;
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
  plugin: SignIn | null,
): Promise<ApiCredentials> {
  try {
    const signed = plugin === null ? {} : await inTime(plugin);
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

async function inTime(signIn: SignIn): Promise<PluginAnswer> {
  const deadline = new Deadline(undefined, PLUGIN_MS, 'the kubeconfig’s authentication plugin');
  try {
    return await signIn(deadline.signal);
  } finally {
    deadline.lift();
  }
}

async function throughProvider(
  provider: Authenticator,
  user: KubeUser,
  signal: AbortSignal,
): Promise<PluginAnswer> {
  const expired = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  const applied: Parameters<Authenticator['applyAuthentication']>[1] & PluginAnswer = { headers: {} };
  await Promise.race([provider.applyAuthentication(user, applied), expired]);
  return applied;
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
    throw refusedConfig(`The kubeconfig names ${server} as the API server, which is not an address.`);
  return url;
}
