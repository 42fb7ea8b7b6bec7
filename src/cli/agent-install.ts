import { stringify } from 'yaml';
import { installManifests } from '../kubernetes/agent/install-manifests.ts';
import { requireConnection } from './connection.ts';
import type { ConnectionOptions } from './find-connection.ts';
import { UsageError } from './print-problem.ts';
import { printRefusals } from './print-refusals.ts';

export interface InstallFlags extends ConnectionOptions {
  readonly target: string;
  readonly namespace?: readonly string[];
  readonly defaultNamespace?: string;
  readonly deploy?: boolean;
  readonly image: string;
  readonly home: string;
}

/** `evident agent install`: prints the manifests of an agent inside the cluster, for `kubectl apply -f -`. */
export function printInstall(flags: InstallFlags): Promise<void> {
  return printRefusals(async () => {
    const { target, namespace = [], defaultNamespace, deploy = false, image, home } = flags;
    if (!/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(target))
      throw new UsageError(`--target ${target}: a target’s name has up to 40 characters: a-z, 0-9 and -.`);
    const { server } = requireConnection(flags);
    const manifests = installManifests({
      target,
      server,
      image,
      home,
      namespaces: [...new Set(namespace)],
      defaultNamespace: defaultNamespace ?? null,
      deploys: deploy,
    });
    console.log(manifests.map((one) => stringify(one, { aliasDuplicateObjects: false })).join('---\n'));
    console.error(
      [
        ...(isOfThisMachine(server)
          ? [
              `Its pod cannot reach ${server}, which is an address of this machine alone. Print it again with an address that the cluster reaches: EVIDENT_SERVER=https://evident.example (a server listens there with --host 0.0.0.0).`,
            ]
          : []),
        'The agent needs a token, which is not printed here. Make it once and keep it in the cluster:',
        `  evident tokens create --role agent --name ${target} --target ${target} --quiet | kubectl -n ${home} create secret generic evident-agent-token --from-file=token=/dev/stdin`,
      ].join('\n'),
    );
  });
}

/** Addresses at which a pod finds itself. */
function isOfThisMachine(server: string): boolean {
  return /^(?:localhost|127\..*|\[::1\]|0\.0\.0\.0|\[::\])$/.test(new URL(server).hostname);
}
