import { openAccess } from '../api/access.ts';
import { ApiConnection } from '../api/connection.ts';
import type { KubeconfigOptions } from '../api/kubeconfig.ts';
import { ApiFailure } from '../api/problem.ts';
import { KubernetesRuntime } from './runtime.ts';

interface ClusterOptions extends KubeconfigOptions {
  readonly target: string;
  /** None: all of them. */
  readonly namespaces: readonly string[];
  readonly defaultNamespace?: string;
  /** It deploys too, and not only observes. */
  readonly deploys?: boolean;
  /** The agent's own directory; without it nothing is remembered over a restart. */
  readonly dir?: string;
  readonly say?: (line: string) => void;
}

/** Opens the cluster that a kubeconfig or a service account names. */
export async function openCluster(options: ClusterOptions): Promise<KubernetesRuntime> {
  const {
    target,
    namespaces,
    defaultNamespace,
    deploys = false,
    dir = null,
    say = () => {},
    ...config
  } = options;
  const access = await openAccess(config);
  const connection = new ApiConnection(access);
  try {
    return new KubernetesRuntime({
      connection,
      identity: await identityOf(connection),
      target,
      defaultNamespace: defaultNamespace ?? access.namespace,
      namespaces: namespaces.length === 0 ? 'all' : namespaces,
      deploys,
      dir,
      say,
    });
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** A cluster is the uid of its namespace `kube-system`: it stays when addresses change, and a new cluster has another. */
async function identityOf(connection: ApiConnection): Promise<string> {
  const { value } = await connection.document('/api/v1/namespaces/kube-system', { timeoutMs: 10_000 });
  const uid = (value as { metadata?: { uid?: unknown } } | null)?.metadata?.uid;
  if (typeof uid === 'string' && uid !== '') return uid;
  throw new ApiFailure({
    kind: 'protocol',
    message: 'The API server’s answer about kube-system has no uid.',
  });
}
