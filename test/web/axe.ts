import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Found {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What to look for: WCAG 2.2 AA as far as a program can, or of that only what depends on the colours of a theme. */
const RULES = {
  all: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  colours: ['color-contrast', 'link-in-text-block'],
} as const;

export async function axeComplaints(
  page: Page,
  rules: keyof typeof RULES = 'all',
): Promise<readonly string[]> {
  // Injected through the debugger: the page's policy allows no added script tag.
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES[rules])} })`,
  )) as { violations: readonly Found[] };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((n) => `${id}: ${n.html} ${n.failureSummary ?? ''}`),
  );
}
