import { expect, it } from 'vitest';
import { admins, mayUse, operators, viewers } from './access.ts';

it('an administrator that was bound to a part of its org before that was refused manages none of it', () => {
  for (const binding of [
    { target: 'lab', service: '*' },
    { target: '*', service: 'bb@*' },
  ]) {
    expect(mayUse(admins, 'admin', binding)).toBe(false);
    for (const access of [viewers, operators]) expect(mayUse(access, 'admin', binding)).toBe(true);
  }
  expect(mayUse(admins, 'admin', { target: '*', service: '*' })).toBe(true);
});
