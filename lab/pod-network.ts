import { execFile } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { OwnKubernetes } from './kubernetes.ts';

const run = promisify(execFile);

/** The cluster's own address of its API server, as every pod is told it. */
const SERVICE = { host: '10.96.0.1', port: 443 };

interface PodNetwork {
  /** The address of this machine as pods see it. */
  readonly gateway: string;
  close(): Promise<void>;
}

/**
 * Lets pods of the lab reach what pods of a real cluster reach: the API server at its service address, with a
 * certificate that the file beside their token vouches for, and this machine. The lab has no kube-proxy and its API
 * server listens on loopback, so that a forwarder stands in for both.
 */
export async function openPodNetwork(cluster: OwnKubernetes): Promise<PodNetwork> {
  const bridge = readFileSync(join(cluster.dir, 'bridge'), 'utf8').trim();
  const conflist = join(cluster.dir, 'cni', '10-lab.conflist');
  const network = readFileSync(conflist, 'utf8');
  const subnet = /"subnet": "(\d+\.\d+\.\d+)\.0\/24"/.exec(network)?.[1];
  if (subnet === undefined) throw new Error(`${conflist} has no subnet`);
  writeFileSync(conflist, network.replace(']]}', ']], "routes": [{"dst": "0.0.0.0/0"}]}'));
  await publishAuthority(cluster);
  // The plugin takes a bridge that is there already; the address goes with it when the lab is taken down.
  await run('ip', ['link', 'add', 'name', bridge, 'type', 'bridge']).catch(() => {});
  await run('ip', ['link', 'set', bridge, 'up']);
  for (const address of [`${subnet}.1/24`, `${SERVICE.host}/32`])
    await run('ip', ['addr', 'replace', address, 'dev', bridge]);
  const forwarder = await listening(apiPort(cluster));
  return {
    gateway: `${subnet}.1`,
    close: () => forwarder.close(),
  };
}

/** The controller manager writes this file into every namespace, for the pods there. */
async function publishAuthority(cluster: OwnKubernetes): Promise<void> {
  await cluster.stop('manager');
  appendFileSync(
    join(cluster.dir, 'manager.cmd'),
    `--root-ca-file ${join(cluster.dir, 'certs', 'apiserver.crt')} `,
  );
  await cluster.start('manager');
}

function apiPort(cluster: OwnKubernetes): number {
  const port = /https:\/\/127\.0\.0\.1:(\d+)/.exec(readFileSync(cluster.kubeconfig, 'utf8'))?.[1];
  if (port === undefined) throw new Error('the kubeconfig names no port');
  return Number(port);
}

/** Another lab on this machine may have the address: this one waits for its end. */
async function listening(port: number): Promise<{ close(): Promise<void> }> {
  for (let tries = 0; ; tries++) {
    const open = new Set<Socket>();
    const server = createServer((socket) => {
      const api = connect(port, '127.0.0.1');
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      for (const [one, other] of [
        [socket, api],
        [api, socket],
      ] as const) {
        one.on('error', () => other.destroy());
        one.on('close', () => other.destroy());
        one.pipe(other);
      }
    });
    const failure = await new Promise<Error | null>((done) => {
      server.once('error', done);
      server.listen(SERVICE.port, SERVICE.host, () => done(null));
    });
    if (failure === null)
      return {
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            // Pods keep theirs open for as long as they live.
            for (const socket of open) socket.destroy();
          }),
      };
    if (tries > 120) throw failure;
    await wait(500);
  }
}
