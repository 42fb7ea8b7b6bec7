import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { endProcessesOf } from '../agent/stage.ts';
import { type Run, useRuns } from '../cli/runs.ts';
import { outsidePid } from '../runtime/outside-pid.ts';
import { Api } from '../server/api.ts';
import { useServers } from '../server/servers.ts';

/** Short freshness, so that silence shows soon, with slack for a busy machine. */
const TIMES = ['--fresh-for', '4000', '--report-every', '500', '--lease-ttl', '8000'];

export interface Installation {
  readonly data: string;
  readonly up: Run;
  readonly api: Api;
  /** The address of the UI, which signs a browser in once. */
  readonly ui: string;
}

export interface ListedInstance {
  readonly uid: string;
  readonly name: string;
  readonly restarts: number;
  readonly ready: boolean;
}

/** All of Evident in one process, as `evident up` starts it, and the command line beside it. */
export function useInstallations() {
  const servers = useServers();
  const directories: string[] = [];
  // Before the runs, which makes it end after them: an `up` that lives would start again what is killed here.
  afterEach(async () => {
    for (const data of directories.splice(0)) await endProcessesOf(join(data, 'runtime'));
  });
  const runs = useRuns(servers);
  const environment = (data: string) => ({ EVIDENT_DATA: data });

  /** Starts until ready, in a new directory or in an existing one. */
  const start = async (existing?: string, args: readonly string[] = []): Promise<Installation> => {
    const data = existing ?? (await servers.newData());
    directories.push(data);
    const up = runs.pipe(['up', '--data', data, '--port', '0', '-o', 'json', ...TIMES, ...args]);
    const ready = /{"event":"ready".*}/.exec(await up.until('"event":"ready"'))?.[0] ?? '{}';
    const token = readFileSync(join(data, 'admin-token'), 'utf8').trim();
    const { api, ui } = JSON.parse(ready);
    return { data, up, api: new Api(api, token), ui };
  };
  const cli = ({ data }: Installation, ...args: readonly string[]) =>
    runs.pipe([...args], { env: environment(data) });
  const terminal = ({ data }: Installation, ...args: readonly string[]) =>
    runs.terminal([...args], { env: environment(data) });
  const evident = ({ data }: Installation, ...args: readonly string[]) =>
    runs.done([...args], { env: environment(data) });
  /** Runs a command that must succeed, and returns its JSON. */
  const evidentJson = async (installation: Installation, ...args: readonly string[]) => {
    const { code, out, err } = await evident(installation, ...args, '-o', 'json');
    expect(code, `${args.join(' ')}\n${out}${err}`).toBe(0);
    return JSON.parse(out);
  };
  const urlOf = async (installation: Installation, service: string): Promise<string> => {
    const items = (await evidentJson(installation, 'services')) as { ref: string; urls: string[] }[];
    return items.find(({ ref }) => ref === service)?.urls.find((url) => url.includes('127.0.0.1')) ?? '';
  };
  const answer = async (installation: Installation, service: string) =>
    (await fetch(await urlOf(installation, service))).text();
  const instances = async ({ api }: Installation, ref: string): Promise<readonly ListedInstance[]> =>
    (await api.get(`/v1/services/${ref}/instances`)).body.items;
  /** Polls the instances at each event of the stream until `is` holds. */
  const instancesUntil = async (
    installation: Installation,
    ref: string,
    is: (all: readonly ListedInstance[]) => boolean,
  ) => {
    const events = await installation.api.events(`/v1/services/${ref}/events`);
    try {
      let all = await instances(installation, ref);
      while (!is(all)) {
        await events.next();
        all = await instances(installation, ref);
      }
      return all;
    } finally {
      events.close();
    }
  };
  return {
    start,
    instances,
    instancesUntil,
    cli,
    terminal,
    evident,
    evidentJson,
    urlOf,
    answer,
    folder: runs.folder,
  };
}

/** The process that answered so, as the machine knows it. */
export function pidIn(answer: string): number {
  const [, uid = '', pid = ''] = answer.split(' ');
  return outsidePid(uid, Number(pid));
}

/** A web app that answers with its text, its instance and its pid. */
export const webApp = (words: string, more = '') => ({
  'package.json': JSON.stringify({ name: 'web', scripts: { start: 'node app.js' } }),
  'app.js': `${more}
    require('node:http')
      .createServer((_, response) => response.end(['${words}', process.env.EVIDENT_INSTANCE, process.pid].join(' ')))
      .listen(process.env.PORT);`,
});
