import { posix } from 'node:path';

/** A link to a heading: `page` is as written from the document, or empty for a heading of the same page. */
export type AnchorLink = { readonly line: number; readonly page: string; readonly anchor: string };

/** The anchors of a page's headings, as GitHub makes them: a heading that occurs again gets a number. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  const occurrences = new Map<string, number>();
  for (const [, title = ''] of withoutFences(markdown).matchAll(/^#{1,6} +(.*?) *$/gm)) {
    const anchor = title
      .replace(/\]\([^)]*\)/g, ']')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const earlier = occurrences.get(anchor) ?? 0;
    occurrences.set(anchor, earlier + 1);
    anchors.add(earlier === 0 ? anchor : `${anchor}-${earlier}`);
  }
  return anchors;
}

/** The links of a document that lead to a heading: of the same page, or of another page of this repository. */
export function anchorLinksIn(markdown: string): AnchorLink[] {
  return withoutFences(markdown)
    .split('\n')
    .flatMap((text, index) =>
      [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]*)#([^)\s]+)\)/gi)].map(([, page = '', anchor = '']) => ({
        line: index + 1,
        page,
        anchor,
      })),
    );
}

/** The file that a link leads to, from the root. */
export function pageDefining(link: AnchorLink, document: string): string {
  return link.page === '' ? document : posix.join(posix.dirname(document), link.page);
}

/** Blank lines take the place of code blocks, so that lines keep their numbers. */
function withoutFences(markdown: string): string {
  return markdown.replace(/^\s*(```|~~~)[\s\S]*?^\s*\1.*$/gm, (block) => block.replace(/[^\n]/g, ''));
}
