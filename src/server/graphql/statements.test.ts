import { expect, it } from 'vitest';
import { newLab } from '../../../test/verbs/driver.ts';
import { image } from '../../../test/verbs/names.ts';
import type { ReadTx, Store } from '../../store/port.ts';
import type { ServerContext } from '../context.ts';
import { SharedReads } from '../reads/shared-reads.ts';
import type { GraphqlCall } from './call.ts';
import { graphqlEndpoint } from './endpoint.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

/** Counts what a database would be asked; reads of one row each that are alike are one statement there (`SqlTx`). */
function counted(store: Store) {
  const asked = { statements: 0 };
  const count = (tx: ReadTx): ReadTx =>
    new Proxy(tx, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as unknown;
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) => {
          const [reads] = args;
          const alike = Array.isArray(reads) ? new Set(reads.map(kindOf)).size : 1;
          asked.statements += alike;
          return (method as (...args: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  const counting: Store = {
    transact: (work, lane) => store.transact(work, lane),
    read: (work, lane) => store.read((tx) => work(count(tx)), lane),
  };
  return { asked, counting };
}

const kindOf = (read: unknown) => (typeof read === 'string' ? read : (read as { table: string }).table);

async function askedFor(services: number, document: string): Promise<number> {
  const lab = newLab();
  for (let i = 0; i < services; i++)
    await lab.deploy(image(IMAGE), {}, { service: `web-${String(i).padStart(3, '0')}@lab` });
  const { asked, counting } = counted(lab.store);
  const host = { ...lab.host, store: counting };
  const context = { host } as unknown as ServerContext;
  const caller = lab.caller('otto', 'operator');
  const request = {
    ...{ method: 'POST', url: '/graphql', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ query: document }),
  };
  const call = { caller, correlation: 'c', left: new AbortController().signal } as unknown as GraphqlCall;
  const { body } = await graphqlEndpoint(context, new SharedReads())(request, call);
  const { data, errors } = JSON.parse(String(body)) as {
    readonly data: Readonly<Record<string, { readonly nodes: readonly unknown[] }>>;
    readonly errors?: unknown;
  };
  expect(errors).toBeUndefined();
  expect(Object.values(data)[0]?.nodes).toHaveLength(services);
  return asked.statements;
}

it.each([
  [
    'services with claims',
    '{ services(first: 500) { nodes { ref urls claim { state operator { stage lastEvidence { id } } } } } }',
  ],
  [
    'deployment statuses',
    '{ deploymentStatuses(first: 500) { nodes { service state declared { revision } fresh } } }',
  ],
])('%s cost as many statements for 500 as for 5', { timeout: 60_000 }, async (_, document) => {
  expect(await askedFor(500, document)).toBe(await askedFor(5, document));
});
