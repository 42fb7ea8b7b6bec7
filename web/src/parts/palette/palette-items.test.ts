import { describe, expect, it } from 'vitest';
import type { Button } from '../../../../src/contract/presentation/buttons.ts';
import { isActionAlone, nextChoice, paletteGroups } from './palette-items.ts';

const service = (ref: string) => ({ ref, state: 'running' as const, says: 'Running r3.' });
const button = (action: Button['action'], whyNot: string | null = null): Button => ({
  action,
  whyNot,
  forcible: null,
  isNext: false,
});
const known = {
  services: ['checkout.shop@prod', 'search.shop@prod', 'recheck@edge', 'web@edge'].map(service),
  current: null,
  buttonsOf: () => [button('cancel', 'r42 is already applied'), button('rollback'), button('retry')],
  claimOf: () => undefined,
  rollbackOf: () => null,
  stepOf: () => null,
  pages: [
    { title: 'Targets', address: '/targets', keys: 'g t' },
    { title: 'Model', address: '/model' },
  ],
};
const titles = (typed: string, more = {}) =>
  paletteGroups(typed, { ...known, ...more }).map(({ title }) => title);
const texts = (typed: string, group: number, more = {}) =>
  paletteGroups(typed, { ...known, ...more })[group]?.items.map(({ text }) => text);

describe('the palette', () => {
  it('finds services, those whose name begins so first, and what can be done with the first', () => {
    expect(titles('check')).toEqual(['Services', 'Do with checkout.shop@prod', 'Look at checkout.shop@prod']);
    expect(texts('check', 0)).toEqual(['checkout', 'recheck']);
    const [found] = paletteGroups('check', known)[0]?.items ?? [];
    expect(found).toMatchObject({ rest: '.shop@prod', address: '/services/checkout.shop@prod' });
  });

  it('offers the actions on the open service while nothing is typed, and pages', () => {
    expect(titles('')).toEqual(['Go to']);
    expect(titles('', { current: 'web@edge' })).toEqual(['Do with web@edge', 'Look at web@edge', 'Go to']);
  });

  it('says on a page of the past that what is done is done now', () => {
    expect(titles('', { current: 'web@edge', isPast: true })[0]).toBe('Do now with web@edge');
  });

  it('finds an action by its name where no service has it', () => {
    expect(texts('roll', 0, { current: 'web@edge' })).toEqual(['Roll back']);
    expect(titles('targ')).toEqual(['Go to']);
  });

  it('finds an action on a service by words of both, each by its begin', () => {
    expect(titles('roll check')[0]).toBe('Do with checkout.shop@prod');
    expect(texts('roll check', 0)).toEqual(['Roll back']);
    expect(texts('web ret', 0)).toEqual(['Retry']);
    expect(titles('log web')[0]).toBe('Look at web@edge');
    expect(texts('log web', 1)).toEqual(['web']);
    expect(titles('back prod')[0]).toBe('Do with checkout.shop@prod');
    expect(titles('nonsense web')).toEqual([]);
    expect(texts('roll back', 0, { current: 'web@edge' })).toEqual(['Roll back']);
  });

  it('lists what is not possible last, with the reason, and never leads there', () => {
    const items = paletteGroups('check', known)[1]?.items ?? [];
    expect(items.at(-1)).toMatchObject({
      text: 'Cancel',
      note: 'not possible: r42 is already applied',
      address: null,
    });
    expect(items[0]?.address).toBe('/services/checkout.shop@prod?do=rollback');
  });

  it('names the revision of a rollback, and keeps the tear-down last and apart', () => {
    const buttonsOf = () => [
      button('teardown'),
      button('rollback'),
      button('cancel', 'nothing is in progress'),
    ];
    const items = paletteGroups('', { ...known, current: 'web@edge', rollbackOf: () => 1, buttonsOf })[0]
      ?.items;
    expect(items?.map(({ text }) => text)).toEqual(['Roll back to r1', 'Cancel', 'Tear down']);
    expect(items?.[0]?.address).toBe('/services/web@edge?do=rollback:1');
    expect(items?.at(-1)?.isApart).toBe(true);
  });

  it('has the step first that the page of the service offers first', () => {
    const retry = button('retry');
    const acts = { current: 'web@edge', stepOf: () => ({ kind: 'action' as const, button: retry }) };
    expect(texts('', 0, acts)).toEqual(['Retry', 'Roll back', 'Cancel']);
    const fixes = { current: 'web@edge', stepOf: () => ({ kind: 'deploy' as const, command: '' }) };
    expect(texts('', 0, fixes)).toEqual(['Edit configuration', 'Roll back', 'Retry', 'Cancel']);
    const looks = { current: 'web@edge', stepOf: () => ({ kind: 'look_at_target' as const }) };
    const [first] = paletteGroups('', { ...known, ...looks })[0]?.items ?? [];
    expect(first).toMatchObject({ text: 'Look at target edge', address: '/targets?target=edge' });
  });

  it('walks in a circle and passes over what cannot be chosen', () => {
    const item = (id: string, address: string | null) => ({ id, text: id, address });
    const items = [item('a', '/a'), item('b', null), item('c', '/c')];
    expect(nextChoice(items, 0, 1)).toBe(2);
    expect(nextChoice(items, 2, 1)).toBe(0);
    expect(nextChoice(items, 0, -1)).toBe(2);
    expect(nextChoice([], 0, 1)).toBe(0);
  });
});

it('knows an action that was typed without a service', () => {
  for (const typed of ['roll', 'Roll back', 'tear', 'logs']) expect(isActionAlone(typed)).toBe(true);
  for (const typed of ['', 'shop', 'roll shop']) expect(isActionAlone(typed)).toBe(false);
});
