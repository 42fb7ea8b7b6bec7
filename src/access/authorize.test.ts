import { describe, expect, it } from 'vitest';
import { TOKEN_ROLES, type TokenRole } from '../contract/vocabulary.ts';
import { type AccessRequest, authorize, type Bearer, borderRefusal, tokenRefusal } from './authorize.ts';
import { OPERATIONS, type Operation } from './operations.ts';

const caller = (role: TokenRole, more: Partial<Bearer> = {}): Bearer => ({
  org: 'default',
  role,
  name: `${role}-1`,
  target: '*',
  service: '*',
  ...more,
});
const codeOf = (who: Bearer, request: AccessRequest) => {
  const answer = authorize(who, request);
  return answer.ok ? 'allowed' : answer.code;
};

/** Written independently of the table that is tested. */
const WHO: Readonly<Record<Operation, readonly TokenRole[]>> = {
  read: ['viewer', 'deployer', 'operator', 'admin'],
  inspect: ['operator', 'admin'],
  act: ['deployer', 'operator', 'admin'],
  force: ['operator', 'admin'],
  retire: ['operator', 'admin'],
  administer: ['admin'],
  browse: ['viewer', 'deployer', 'operator', 'admin'],
  work: ['builder', 'agent'],
  transfer: ['builder', 'agent'],
  represent: ['agent'],
  submit: TOKEN_ROLES,
  query: TOKEN_ROLES,
};

describe('authorize', () => {
  it.each(Object.keys(OPERATIONS) as Operation[])(
    '%s is permitted to its roles and no others',
    (operation) => {
      for (const role of TOKEN_ROLES)
        expect(codeOf(caller(role), { operation }), role).toBe(
          WHO[operation].includes(role) ? 'allowed' : 'forbidden',
        );
    },
  );

  it('an unknown role may do nothing but what is open to all', () => {
    for (const operation of Object.keys(OPERATIONS) as Operation[])
      expect(codeOf(caller('root' as TokenRole), { operation })).toBe(
        operation === 'submit' || operation === 'query' ? 'allowed' : 'forbidden',
      );
  });

  it('an administrator bound to a part of its org administers none of it, and reads its part', () => {
    for (const binding of [{ target: 'lab' }, { service: 'bb@*' }]) {
      expect(codeOf(caller('admin', binding), { operation: 'administer' })).toBe('forbidden');
      for (const operation of ['read', 'inspect'] as const)
        expect(codeOf(caller('admin', binding), { operation })).toBe('allowed');
    }
  });

  it('decides by values: an equal caller and an equal request get the same answer', () => {
    const bound = caller('admin', { target: 'lab' });
    expect(authorize(structuredClone(bound), structuredClone({ operation: 'administer' as const }))).toEqual(
      authorize(bound, { operation: 'administer' }),
    );
  });

  it('a service outside the binding does not exist for readers, and is forbidden to act on', () => {
    const bound = caller('operator', { service: 'api@*' });
    const service = 'web@lab';
    for (const operation of ['read', 'inspect'] as const)
      expect(codeOf(bound, { operation, service })).toBe('not_found');
    for (const operation of ['act', 'force'] as const)
      expect(codeOf(bound, { operation, service })).toBe('forbidden');
    for (const operation of ['read', 'inspect', 'act', 'force'] as const)
      expect(codeOf(bound, { operation, service: 'api@lab' })).toBe('allowed');
    expect(codeOf(caller('builder', { target: 'prod' }), { operation: 'transfer', service })).toBe(
      'not_found',
    );
  });

  it('an agent represents a target only with all of its services', () => {
    const represent = { operation: 'represent', target: 'lab' } as const;
    expect(codeOf(caller('agent', { target: 'lab' }), represent)).toBe('allowed');
    expect(codeOf(caller('agent', { target: 'edge' }), represent)).toBe('forbidden');
    expect(codeOf(caller('agent', { target: 'lab', service: 'web@*' }), represent)).toBe('forbidden');
    expect(codeOf(caller('agent', { service: '*@lab' }), represent)).toBe('allowed');
  });

  it('a builder acquires builds, and an agent the commands of its target', () => {
    const work = (kinds: readonly ('build' | 'apply' | 'remove')[], target?: string) =>
      ({ operation: 'work', kinds, ...(target === undefined ? {} : { target }) }) as const;
    expect(codeOf(caller('builder'), work(['build']))).toBe('allowed');
    expect(codeOf(caller('builder'), work(['apply']))).toBe('forbidden');
    expect(codeOf(caller('agent', { target: 'lab' }), work(['apply', 'remove'], 'lab'))).toBe('allowed');
    expect(codeOf(caller('agent', { target: 'lab' }), work(['apply'], 'edge'))).toBe('forbidden');
    expect(codeOf(caller('agent'), work(['build'], 'lab'))).toBe('forbidden');
  });

  it('only the server’s own administrator reaches another org', () => {
    const administer = { operation: 'administer', org: 'umbrella' } as const;
    expect(codeOf(caller('admin'), administer)).toBe('forbidden');
    expect(codeOf(caller('admin', { org: 'umbrella' }), administer)).toBe('allowed');
    expect(codeOf(caller('admin', { name: 'server-admin' }), administer)).toBe('allowed');
    expect(codeOf(caller('viewer', { name: 'server-admin' }), administer)).toBe('forbidden');
  });
});

it('where apps can read the server’s files, no token promises less than all of it (F127)', () => {
  for (const role of TOKEN_ROLES)
    expect(borderRefusal({ role, org: 'default' }, 'default') === null, role).toBe(
      ['admin', 'builder', 'agent'].includes(role),
    );
  expect(borderRefusal({ role: 'admin', org: 'umbrella' }, 'default')).toMatchObject({
    code: 'invalid_request',
  });
});

it('an admin token with a binding, or a token with the server’s own name, is not created', () => {
  const token = { role: 'admin', name: 'ana', target: '*', service: '*' } as const;
  expect(tokenRefusal(token)).toBeNull();
  expect(tokenRefusal({ ...token, target: 'lab' })).toMatchObject({ code: 'invalid_request' });
  expect(tokenRefusal({ ...token, role: 'viewer', target: 'lab' })).toBeNull();
  expect(tokenRefusal({ ...token, name: 'server-admin-2' })).toMatchObject({ code: 'invalid_request' });
});
