import { describe, expect, it } from 'vitest';
import type { ServiceAction } from '../actions.ts';
import type { Claim } from '../claim.ts';
import { confirmationOf, riskLine, unseenLine } from './confirmation.ts';
import { clockTime } from './times.ts';

const claim = {
  service: 'checkout.shop@prod',
  desired: { revision: 42, attempt: 1, replicas: 3 },
  actions: [],
} as unknown as Claim;
const text = (action: ServiceAction, serving: Parameters<typeof confirmationOf>[2] = null) => {
  const { title, text, facts } = confirmationOf(action, claim, serving, action === 'rollback' ? 41 : null);
  return [title, text, ...facts.map((fact) => `${fact.name}: ${fact.text}`)].join('\n');
};
const ACTIONS: readonly ServiceAction[] = ['retry', 'rollback', 'restart', 'scale', 'cancel', 'teardown'];

describe('the question before an action', () => {
  it.each(ACTIONS)('names the service and its target: %s', (action) => {
    expect(text(action)).toContain('checkout.shop@prod');
    expect(text(action)).toContain('Target prod');
  });

  it('promises to stop nothing of what another tool manages, and no logs, which nobody keeps', () => {
    const whyNot = {
      code: 'managed_elsewhere',
      detail: 'Helm manages this service.',
      mayForce: true,
    } as const;
    const actions = [{ action: 'teardown', allowed: false, whyNot }] as const;
    const { title, text, facts } = confirmationOf('teardown', { ...claim, actions }, null, null);
    expect(title).toBe('Take checkout.shop@prod off the lists?');
    expect(text).toContain('Nothing is stopped');
    const all = facts.map((fact) => fact.text).join(' ');
    expect(all).not.toMatch(/Every copy|logs|stops serving/);
    expect(all).toContain('target prod is told nothing');
  });

  it('names the revision that a rollback goes to, and what it does not undo', () => {
    expect(text('rollback')).toContain('Roll back checkout.shop@prod to r41?');
    expect(text('rollback')).toContain('Makes the next revision, after r42, from');
    expect(text('rollback')).toContain('Nothing is built. The number of copies stays as r42 has it: 3.');
    expect(text('rollback')).toContain('What r42 has changed in your data.');
  });

  it.each(ACTIONS)('promises nothing about what serves where nothing is proven to: %s', (action) => {
    expect(text(action)).toContain('Nothing is proven to serve now.');
    expect(text(action)).not.toContain('goes on serving until');
  });

  it('says first that it would start copies beside others, where the claim says so (F114)', () => {
    const risk = { code: 'identity_changed', detail: 'Copies may run still.' } as const;
    const actions = [
      { action: 'restart', allowed: true, risk },
      { action: 'cancel', allowed: true },
    ] as const;
    const doubted = { ...claim, actions };
    expect(confirmationOf('restart', doubted, null, null).text).toMatch(/^Copies may run still\. /);
    expect(confirmationOf('cancel', doubted, null, null).text).not.toContain('Copies');
    expect(riskLine(doubted)).toBe('Copies may run still.');
    expect(riskLine(claim)).toBeNull();
  });

  it('says that nothing serves where that is proven', () => {
    const { facts } = confirmationOf('restart', claim, null, null, true);
    expect(facts).toContainEqual({ name: 'What serves now', text: 'Nothing serves.' });
  });

  it('says of a silent target that nothing happens there before it is heard, and what was seen last', () => {
    const since = Date.parse('2026-11-17T13:21:29Z');
    const seen = { ...claim, serving: null, lastServing: { revision: 41, attempt: 1, asOf: '', ageMs: 0 } };
    const { facts } = confirmationOf('restart', seen, null, null, false, { of: 'target', since });
    expect(facts).toEqual([
      {
        name: 'What serves now',
        text: 'r41 served when last seen. Nobody can tell from here what runs there now.',
      },
      {
        name: 'Where',
        text: `Target prod, silent since ${clockTime(since)}. Nothing happens there before it is heard again. It then meets whatever runs there.`,
      },
    ]);
    expect(unseenLine('kiosk@edge', { of: 'target', since })).toMatch(/^edge is silent: nobody sees/);
  });

  it('says of a page that has lost its server that it cannot see what serves', () => {
    const serving = { revision: 41, attempt: 1, asOf: '', validUntil: '' };
    const unseen = { of: 'page', since: 0 } as const;
    const { facts } = confirmationOf('teardown', { ...claim, serving }, null, null, false, unseen);
    expect(facts).toContainEqual({
      name: 'What serves now',
      text: 'r41 served when last seen. This page cannot see what serves now.',
    });
    expect(unseenLine('kiosk@edge', unseen)).toMatch(/this page cannot see what it would meet/);
    expect(unseenLine('kiosk@edge', null)).toBeNull();
  });

  it('says what becomes of what serves', () => {
    const serving = { revision: 41, agoMs: 1_200 };
    expect(text('rollback', serving)).toContain('r41, seen 1 s ago. It goes on serving until');
    expect(text('teardown', serving)).toContain('its addresses stop answering');
    expect(text('scale', serving), 'r42 is scaled, and takes the place of r41').toContain(
      'r41, seen 1 s ago. It goes on serving until',
    );
    expect(text('scale', { ...serving, revision: 42 })).toContain('copies that stay are not restarted');
  });
});
