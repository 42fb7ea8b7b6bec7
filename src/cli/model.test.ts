import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QUESTIONS } from '../contract/presentation/seven-answers.ts';
import { STATES } from '../contract/vocabulary.ts';
import { model } from '../model/model.ts';
import { modelProblems } from './model.ts';
import { modelPage } from './model-page.ts';
import { modelText } from './model-text.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'evident-model-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('evident model --check', () => {
  it('has nothing to compare in an installed package', () => {
    expect(modelProblems(root)).toEqual([]);
  });

  it('names stale files and the command that writes them', () => {
    mkdirSync(join(root, 'docs'));
    expect(modelProblems(root)).toEqual(['docs/status-model.md is missing: run `npm run docs`']);
    const page = join(root, 'docs', 'status-model.md');
    writeFileSync(page, modelPage(model()).replace('# The status model', '# Another model'));
    expect(modelProblems(root)).toEqual([
      'docs/status-model.md is stale: line 1 differs from the tables; run `npm run docs`',
    ]);
    writeFileSync(page, modelPage(model()));
    expect(modelProblems(root)).toEqual([]);
  });
});

describe('the page and the text', () => {
  it('answer seven questions for every state', () => {
    const page = modelPage(model());
    const text = modelText(model());
    for (const state of STATES) expect(page).toContain(`### \`${state}\``);
    for (const question of QUESTIONS) {
      expect(page.split(`**${question}**`)).toHaveLength(STATES.length + 1);
      expect(text.split(question)).toHaveLength(STATES.length + 1);
    }
    expect(page).not.toMatch(/undefined|\[object/);
  });
});
