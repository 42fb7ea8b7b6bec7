import type { ConnectionOptions } from './find-connection.ts';

/** The options of `evident agent`, whatever its runtime is. */
export interface AgentFlags extends ConnectionOptions {
  readonly target: string;
  readonly runtime: string;
  readonly name?: string;
  readonly data?: string;
  readonly routerPort?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsPort?: string;
  readonly routerHost: string;
  readonly trustApps?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: readonly string[];
  readonly defaultNamespace?: string;
  readonly deploy?: boolean;
  readonly output: 'text' | 'json';
}
