import type { Page } from 'playwright-core';

/**
 * Finds texts that cover or touch each other: each line of text is a rectangle, cut off where its box cuts it, and those
 * of different blocks must stand apart. What floats above the page on purpose is left out. As text, because it runs in
 * the page.
 */
const FIND = `(() => {
  const APART = 2;
  // A space is not enough between things that are not one sentence: it would read as one.
  const APART_FROM_ANOTHER = 6;
  const ownerOf = (element) => element.closest('button, a, td, th, li');
  const styles = new Map();
  const styleOf = (element) => {
    if (!styles.has(element)) styles.set(element, getComputedStyle(element));
    return styles.get(element);
  };
  const blockOf = (element) => {
    for (let one = element; one !== null; one = one.parentElement)
      if (!/^inline|^contents$/.test(styleOf(one).display)) return one;
    return document.body;
  };
  const isLeftOut = (element) => {
    // As what is folded away.
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return true;
    for (let one = element; one !== null; one = one.parentElement) {
      const { position, clipPath } = styleOf(one);
      if (position === 'fixed' || position === 'sticky') return true;
      if (clipPath !== 'none' || one.matches('option, [popover]')) return true;
    }
    return false;
  };
  const cut = (rect, element) => {
    let { left, top, right, bottom } = rect;
    for (let one = element; one !== null; one = one.parentElement) {
      const { overflowX, overflowY, display } = styleOf(one);
      if (display === 'inline') continue;
      const box = one.getBoundingClientRect();
      if (overflowX !== 'visible') { left = Math.max(left, box.left); right = Math.min(right, box.right); }
      if (overflowY !== 'visible') { top = Math.max(top, box.top); bottom = Math.min(bottom, box.bottom); }
    }
    return { left, top, right, bottom };
  };
  const texts = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() === '' || element === null || isLeftOut(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const line of range.getClientRects()) {
      const rect = cut(line, element);
      // A line box is higher than its letters: those of neighbouring lines may share a pixel or two.
      rect.top += 2;
      rect.bottom -= 2;
      if (rect.right - rect.left > 1 && rect.bottom - rect.top > 1)
        texts.push({ ...rect, block: blockOf(element), owner: ownerOf(element), text: node.data.trim().slice(0, 40) });
    }
  }
  texts.sort((a, b) => a.top - b.top);
  const found = new Set();
  for (const [i, a] of texts.entries())
    for (let j = i + 1; j < texts.length && texts[j].top < a.bottom; j++) {
      const b = texts[j];
      if (a.block === b.block) continue;
      const isOther =
        a.owner !== null && b.owner !== null && !a.owner.contains(b.owner) && !b.owner.contains(a.owner);
      const apart = isOther ? APART_FROM_ANOTHER : APART;
      if (a.left < b.right + apart && b.left < a.right + apart) found.add(a.text + ' | ' + b.text);
    }
  return [...found];
})()`;

/**
 * The texts of a page that stand too close to each other to be told apart, in pairs. Until its own font is there, a page is
 * drawn with another, in which texts have other widths.
 */
export const overlaps = async (page: Page): Promise<readonly string[]> =>
  (await page.evaluate(`document.fonts.ready.then(() => ${FIND})`)) as readonly string[];
