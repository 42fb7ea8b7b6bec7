import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { newLab, ORG } from '../../test/verbs/driver.ts';
import { waiting } from '../../test/verbs/life.ts';
import { specSchema } from '../contract/intent.ts';
import { inputsOf } from '../ownership/input.ts';
import { deployingPage, EXAMPLE } from './deploying-page.ts';

const properties = Object.entries(
  (z.toJSONSchema(specSchema, { io: 'input' }).properties ?? {}) as Record<
    string,
    { description?: string; default?: unknown }
  >,
);

describe('docs/deploying.md', () => {
  it('has every field of the spec, each with its words', () => {
    const page = deployingPage();
    for (const [name, { description }] of properties) {
      expect(page).toContain(`| \`${name}\` |`);
      expect(description, name).toMatch(/^[A-Z].*\.$/);
    }
    expect(page).not.toMatch(/undefined|\[object/);
  });

  it('shows an evident.yaml that the schema accepts', () => {
    const { name, ...spec } = parse(EXAMPLE);
    expect(name).toBe('web');
    expect(specSchema.safeParse(spec).error).toBeUndefined();
  });

  it('names the defaults that the server fills in', async () => {
    const lab = newLab();
    await waiting(lab, {});
    const { offer } = await lab.builder().take();
    const [input] = await inputsOf(lab.host, ORG, [offer]);
    const { spec } = input as { spec: Record<string, unknown> };
    for (const [name, field] of properties)
      if ('default' in field) expect(spec[name], name).toEqual(field.default);
  });
});
