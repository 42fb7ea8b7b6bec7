import { describe, expect, it } from 'vitest';
import { TOKEN_ROLES } from '../vocabulary.ts';
import { bindingOf, endsWith, MAY, tokenStanding } from './tokens.ts';

const AT = '2026-11-14T14:00:00.000Z';
const then = Date.parse(AT);

describe('a token', () => {
  it('is valid until its last instant, and revoked whatever the clock shows', () => {
    expect(tokenStanding({ revokedAt: null, expiresAt: null }, then)).toBe('valid');
    expect(tokenStanding({ revokedAt: null, expiresAt: AT }, then - 1)).toBe('valid');
    expect(tokenStanding({ revokedAt: null, expiresAt: AT }, then)).toBe('expired');
    expect(tokenStanding({ revokedAt: AT, expiresAt: AT }, then + 1)).toBe('revoked');
  });

  it('shows its binding', () => {
    expect(bindingOf({ target: '*', service: '*' })).toBe('everything');
    expect(bindingOf({ target: 'lab', service: '*' })).toBe('target lab');
    expect(bindingOf({ target: '*', service: 'web@*' })).toBe('service web@*');
    expect(bindingOf({ target: 'lab', service: 'web@lab' })).toBe('target lab, service web@lab');
  });

  it('of every role shows its permissions, and of an agent what becomes unknown without it', () => {
    for (const role of TOKEN_ROLES) expect(MAY[role]).not.toBe('');
    expect(endsWith('agent')).toContain('becomes unknown');
    expect(endsWith('viewer')).not.toContain('unknown');
  });
});
