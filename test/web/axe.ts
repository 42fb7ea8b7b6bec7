import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Found {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Checks WCAG 2.2 AA, as far as a program can. */
export async function axeComplaints(page: Page): Promise<readonly string[]> {
  // Injected through the debugger: the page's policy allows no added script tag.
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })`,
  )) as { violations: readonly Found[] };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((n) => `${id}: ${n.html} ${n.failureSummary ?? ''}`),
  );
}
