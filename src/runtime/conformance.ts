import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Spec } from '../contract/intent.ts';
import type { Instance } from '../contract/report.ts';
import type { ApplyOrder, ApplyResult, Runtime, ScopedObservation } from './port.ts';

/** The apps that the suite deploys. Each lab brings them in the form that its runtime takes. */
export type LabApp =
  /** Listens on its port and answers everything. */
  | 'web'
  /** Has a port and never listens on it. */
  | 'deaf'
  /** Has a port, and ends at once with code 3. */
  | 'crashing'
  /** Has no port, writes "working" and stays alive. */
  | 'worker';

export interface RuntimeLab {
  /** The same place again, as after a restart of the agent. */
  open(): Promise<Runtime>;
  app(app: LabApp): Promise<{ readonly artifact: string; readonly spec: Spec }>;
  /** Ends an instance as a fault would, and not through the runtime. */
  kill(instance: Instance): void;
  /** Makes an instance hang: it is alive and accepts, and does nothing. `resume` lets it go on. */
  suspend(instance: Instance): void;
  resume(instance: Instance): void;
  /** Leaves nothing of it behind. */
  end(): Promise<void>;
}

const SERVICE = 'web@lab';

/** Everything that every runtime must do; each implementation runs it in its own test file. */
export function describeRuntime(name: string, newLab: () => Promise<RuntimeLab>): void {
  describe(`${name} is a runtime`, () => {
    let lab: RuntimeLab;
    let runtime: Runtime;
    beforeEach(async () => {
      lab = await newLab();
      runtime = await lab.open();
    });
    afterEach(async () => {
      await runtime.close();
      await lab.end();
    });

    const ordered = async (
      app: LabApp,
      revision: number,
      more: Partial<ApplyOrder> & { spec?: Spec } = {},
    ) => {
      const { artifact, spec } = await lab.app(app);
      return {
        service: SERVICE,
        stamp: { revision, attempt: 1, fence: '1' },
        artifact,
        accepts: [],
        ...more,
        spec: { ...spec, ...more.spec },
      } satisfies ApplyOrder;
    };
    const apply = async (...order: Parameters<typeof ordered>) =>
      runtime.apply(await ordered(...order), new AbortController().signal);
    const until = (is: (all: Everything) => boolean) => observedUntil(runtime, is);
    const own = ({ instances }: Everything) => instances.filter((i) => i.service === SERVICE);
    const ready = (all: Everything, revision: number) =>
      own(all).filter((i) => i.ready && i.revision === revision).length;
    const route = (all: Everything) => all.services.find((s) => s.service === SERVICE)?.route ?? null;
    /** Running, with its route, and nothing of another revision left. */
    const running = (revision: number, replicas = 1) =>
      until(
        (all) =>
          ready(all, revision) === replicas &&
          own(all).length === replicas &&
          route(all)?.revision === revision,
      );

    it('applies: as many as are wanted, stamped, of the artifact, behind a route that answers', async () => {
      expect((await apply('web', 1, { spec: { replicas: 2 } })).kind).toBe('applied');
      const all = await running(1, 2);
      const { artifact } = await lab.app('web');
      for (const instance of own(all))
        expect(instance).toMatchObject({
          service: SERVICE,
          revision: 1,
          attempt: 1,
          fence: '1',
          artifact,
          phase: 'running',
          restarts: 0,
        });
      expect(new Set(own(all).map((i) => i.uid)).size).toBe(2);
      expect(route(all)).toEqual({ answers: true, revision: 1, attempt: 1 });
    });

    it('applies the same again, and under a newer fence, and restarts nothing', async () => {
      await apply('web', 1);
      const [first] = own(await running(1));
      expect((await apply('web', 1)).kind).toBe('applied');
      expect((await apply('web', 1, { stamp: { revision: 1, attempt: 1, fence: '2' } })).kind).toBe(
        'applied',
      );
      await runtime.refresh();
      expect(own(await observed(runtime))).toEqual([first]);
    });

    it('refuses what is older, by revision, attempt and fence in this order, and changes nothing', async () => {
      await apply('web', 2, { stamp: { revision: 2, attempt: 2, fence: '12' } });
      const [before] = own(await until((all) => ready(all, 2) === 1));
      for (const stamp of [
        { revision: 1, attempt: 9, fence: '99' },
        { revision: 2, attempt: 1, fence: '99' },
        { revision: 2, attempt: 2, fence: '9' },
      ])
        expect(await apply('web', 0, { stamp })).toMatchObject({ kind: 'refused', retrySafe: false });
      expect(own(await observed(runtime))).toEqual([before]);
    });

    it('replaces one attempt by the next', async () => {
      await apply('web', 1);
      await running(1);
      await apply('web', 1, { stamp: { revision: 1, attempt: 2, fence: '1' } });
      const all = await until(
        (s) => own(s).length === 1 && own(s)[0]?.attempt === 2 && route(s)?.attempt === 2,
      );
      expect(own(all)[0]).toMatchObject({ revision: 1, attempt: 2, ready: true, restarts: 0 });
    });

    it('switches when the new is ready, and lets the old go', async () => {
      await apply('web', 1);
      const [old] = own(await running(1));
      await apply('web', 2);
      const all = await running(2);
      expect(own(all)[0]?.uid).not.toBe(old?.uid);
    });

    it('leaves the old serving when the new never gets ready, and says why it does not', async () => {
      await apply('web', 1);
      const [old] = own(await running(1));
      await apply('deaf', 2);
      const all = await until((s) => own(s).some((i) => i.revision === 2 && i.reason === 'not_listening'));
      expect(own(all).find((i) => i.revision === 2)).toMatchObject({ phase: 'running', ready: false });
      expect(own(all).find((i) => i.revision === 1)).toEqual(old);
      expect(route(all)).toEqual({ answers: true, revision: 1, attempt: 1 });
      await apply('web', 3);
      await running(3);
    });

    it('sees a crash loop as such, with what ended it, and counts honestly', async () => {
      await apply('crashing', 1);
      const all = await until((s) => own(s).some((i) => i.reason === 'crash_loop'));
      const [instance] = own(all);
      expect(instance).toMatchObject({ ready: false, message: 'exit code 3' });
      expect(instance?.restarts).toBeGreaterThanOrEqual(2);
      expect(route(all)?.answers).toBe(false);
    });

    it('starts again what was killed: the same instance, one restart', async () => {
      await apply('web', 1);
      const [first] = own(await running(1));
      if (first === undefined) throw new Error('nothing runs');
      lab.kill(first);
      await until((s) => own(s).some((i) => !i.ready));
      const [again] = own(await until((s) => ready(s, 1) === 1 && route(s)?.answers === true));
      expect(again).toMatchObject({ uid: first.uid, restarts: 1 });
    });

    it('names the copy that hangs, gives it no requests, and takes it back when it answers (F115)', async () => {
      // An answer counts for both together.
      const health = { intervalMs: 100, timeoutMs: 2_000 };
      await apply('web', 1, { spec: { replicas: 3, health } });
      const [hung] = own(await running(1, 3));
      if (hung === undefined) throw new Error('nothing runs');
      lab.suspend(hung);
      const silent = await until(
        (s) => ready(s, 1) === 2 && own(s).some((i) => !i.ready && i.uid === hung.uid),
      );
      expect(own(silent).find((i) => !i.ready)).toMatchObject({
        name: hung.name,
        phase: 'running',
        reason: 'not_answering',
      });
      await until((s) => route(s)?.answers === true && ready(s, 1) === 2);
      lab.resume(hung);
      expect(own(await running(1, 3))).toContainEqual(hung);
    });

    it('calls what has no port and is suspended not ready', async () => {
      await apply('worker', 1);
      const [worker] = own(await until((s) => ready(s, 1) === 1));
      if (worker === undefined) throw new Error('nothing runs');
      lab.suspend(worker);
      const [stopped] = own(await until((s) => ready(s, 1) === 0));
      expect(stopped).toMatchObject({ uid: worker.uid, phase: 'running', reason: 'suspended' });
      lab.resume(worker);
      await until((s) => ready(s, 1) === 1);
    });

    it('refuses a host name that belongs to another service, and names that (F119)', async () => {
      await apply('web', 1, { spec: { route: { host: 'shop.example' } } });
      await running(1);
      const steals = (host: string) =>
        apply('web', 1, { service: 'aaa@lab', spec: { replicas: 0, route: { host } } });
      expect(await steals('web.localhost')).toMatchObject({ code: 'host_taken', holder: 'web' });
      expect(await steals('shop.example')).toMatchObject({ code: 'host_taken', holder: SERVICE });
      await apply('web', 2, {});
      expect(await steals('shop.example')).toMatchObject({ kind: 'applied' });
    });

    it('scales by keeping what is there, up, down and to nothing', async () => {
      await apply('web', 1);
      const [first] = own(await running(1));
      const accepts = [{ revision: 1, attempt: 1 }];
      await apply('web', 2, { accepts, spec: { replicas: 3 } });
      const three = await until(
        (s) => own(s).filter((i) => i.ready).length === 3 && route(s)?.revision === 2,
      );
      expect(own(three)).toContainEqual(first);
      await apply('web', 3, { accepts: [...accepts, { revision: 2, attempt: 1 }], spec: { replicas: 1 } });
      const one = await until((s) => own(s).length === 1 && route(s)?.revision === 3);
      expect(own(one)).toEqual([first]);
      await apply('web', 4, { spec: { replicas: 0 } });
      const none = await until((s) => own(s).length === 0 && route(s)?.answers === false);
      expect(none.instances).toEqual([]);
    });

    it('a restart is no scale: without accepted stamps everything is replaced', async () => {
      await apply('web', 1, { spec: { replicas: 2 } });
      const before = own(await running(1, 2)).map((i) => i.uid);
      await apply('web', 2, { spec: { replicas: 2 } });
      const after = own(await running(2, 2)).map((i) => i.uid);
      expect(after.filter((uid) => before.includes(uid))).toEqual([]);
    });

    it('runs what has no port by its staying alive, and asks no route of it', async () => {
      await apply('worker', 1);
      const all = await until((s) => ready(s, 1) === 1);
      expect(route(all)).toBeNull();
    });

    it('hands over what an app writes, once it is taken never again', async () => {
      await apply('worker', 1);
      await until((s) => ready(s, 1) === 1);
      const [output] = runtime.outputs();
      const lines = (await output?.read(100)) ?? [];
      expect(lines).toMatchObject([{ seq: 1, line: 'working' }]);
      expect(await output?.read(100)).toEqual(lines);
      await output?.taken(lines);
      expect(await output?.read(100)).toEqual([]);
      expect(output).toMatchObject({
        service: SERVICE,
        stamp: { revision: 1 },
        instance: expect.any(String),
      });
    });

    it('is adopted by the next to open it: the same identity, instances and route, no restart', async () => {
      const { identity } = runtime;
      await apply('web', 1, { spec: { replicas: 2 } });
      const before = await running(1, 2);
      await runtime.close();
      runtime = await lab.open();
      const after = await observed(runtime);
      expect(runtime.identity).toBe(identity);
      expect(sorted(own(after))).toEqual(sorted(own(before)));
      expect(route(after)).toEqual(route(before));
    });

    it('knows after it was opened again what was applied and what was removed', async () => {
      await apply('web', 5);
      await running(5);
      await runtime.close();
      runtime = await lab.open();
      expect((await apply('web', 4)).kind).toBe('refused');
      await runtime.remove(SERVICE, { revision: 6, attempt: 1, fence: '1' }, new AbortController().signal);
      await runtime.close();
      runtime = await lab.open();
      expect((await apply('web', 6)).kind).toBe('refused');
      expect(own(await observed(runtime))).toEqual([]);
    });

    it('shows what ended while nobody looked, and starts it again', async () => {
      await apply('web', 1);
      const [first] = own(await running(1));
      if (first === undefined) throw new Error('nothing runs');
      await runtime.close();
      lab.kill(first);
      runtime = await lab.open();
      const [again] = own(await until((s) => ready(s, 1) === 1));
      expect(again).toMatchObject({ uid: first.uid, restarts: 1 });
    });

    it('removes: nothing is left when it says so, and nothing older brings it back', async () => {
      await apply('web', 1, { spec: { replicas: 2 } });
      await running(1, 2);
      const stamp = { revision: 2, attempt: 1, fence: '1' };
      await runtime.remove(SERVICE, stamp, new AbortController().signal);
      expect(own(await observed(runtime))).toEqual([]);
      expect((await observed(runtime)).services).toEqual([]);
      expect((await apply('web', 1, { stamp: { revision: 1, attempt: 1, fence: '9' } })).kind).toBe(
        'refused',
      );
      await runtime.remove(SERVICE, stamp, new AbortController().signal);
      expect(own(await observed(runtime))).toEqual([]);
      expect((await apply('web', 3)).kind).toBe('applied');
      await running(3);
    });

    it('a removal that comes late touches nothing newer', async () => {
      await apply('web', 3);
      const before = own(await running(3));
      await runtime.remove(SERVICE, { revision: 2, attempt: 1, fence: '1' }, new AbortController().signal);
      expect(own(await observed(runtime))).toEqual(before);
    });

    it('begins nothing under a lease that has ended', async () => {
      const order = await ordered('web', 1);
      await expect(runtime.apply(order, AbortSignal.abort(new Error('lost')))).rejects.toThrow('lost');
      await expect(
        runtime.remove(SERVICE, order.stamp, AbortSignal.abort(new Error('lost'))),
      ).rejects.toThrow('lost');
      expect((await observed(runtime)).instances).toEqual([]);
      expect((await apply('web', 1)).kind).toBe('applied');
    });

    it('refuses what it cannot run with a sentence, and keeps what runs', async () => {
      await apply('web', 1);
      await running(1);
      const answer: ApplyResult = await apply('web', 2, { spec: { command: ['no-such-program-anywhere'] } });
      expect(answer).toMatchObject({
        kind: 'refused',
        message: expect.stringContaining('no-such-program-anywhere'),
      });
      expect(route(await observed(runtime))).toMatchObject({ answers: true, revision: 1 });
    });

    it('gives each scope once, complete, as old as its oldest observation, and its services in no other', async () => {
      await apply('web', 1, { spec: { stabilityMs: 700 } });
      await running(1);
      await runtime.refresh();
      const scopes = await runtime.observe();
      expect(new Set(scopes.map(({ scope }) => scope)).size).toBe(scopes.length);
      for (const { complete, unavailable, watchAgeMs } of scopes) {
        expect({ complete, unavailable }).toEqual({ complete: true, unavailable: undefined });
        expect(watchAgeMs).toBeLessThan(1_000);
      }
      const holding = scopes.filter(({ services }) => services.some((s) => s.service === SERVICE));
      expect(holding).toHaveLength(1);
      expect(holding[0]?.instances.map((i) => i.service)).toEqual([SERVICE]);
      expect(holding[0]?.stabilityMs.get(SERVICE)).toBe(700);
    });

    it('grows older while nothing is observed, in every scope', async () => {
      await apply('web', 1);
      const [instance] = own(await running(1));
      if (instance === undefined) throw new Error('nothing runs');
      await runtime.close();
      const ages = async () => (await runtime.observe()).map(({ watchAgeMs }) => watchAgeMs);
      const before = await ages();
      await new Promise((done) => setTimeout(done, 50));
      const after = await ages();
      for (const [at, age] of after.entries()) expect(age).toBeGreaterThanOrEqual((before[at] ?? 0) + 45);
    });
  });
}

const sorted = (instances: readonly Instance[]) => [...instances].sort((a, b) => (a.uid < b.uid ? -1 : 1));

/** The items of all scopes together. */
export type Everything = Pick<ScopedObservation, 'instances' | 'services'>;

export async function observed(runtime: Runtime): Promise<Everything> {
  const scopes = await runtime.observe();
  return {
    instances: scopes.flatMap(({ instances }) => instances),
    services: scopes.flatMap(({ services }) => services),
  };
}

/** The first observation that is as expected; observes again at each change, and not after a pause. */
export async function observedUntil(runtime: Runtime, is: (all: Everything) => boolean): Promise<Everything> {
  for (;;) {
    let stop = () => {};
    const changed = new Promise<void>((done) => {
      stop = runtime.onChange(done);
    });
    try {
      const all = await observed(runtime);
      if (is(all)) return all;
      await changed;
    } finally {
      stop();
    }
  }
}
