import type { Page } from 'playwright-core';

const FRAMES = 90;

/** Scrolls by so many pixels with each frame, and returns how long each frame took, the shortest first. */
const SCROLL = `(selector, byPx) => new Promise((done) => {
  const box = selector === null ? document.scrollingElement : document.querySelector(selector);
  const took = [];
  let before = performance.now();
  const frame = (now) => {
    took.push(now - before);
    before = now;
    box.scrollTop += byPx;
    if (took.length < ${FRAMES}) requestAnimationFrame(frame);
    else done(took.slice(1).sort((a, b) => a - b));
  };
  requestAnimationFrame(frame);
})`;

/**
 * Prints how smoothly a list scrolls; null scrolls the page. What a machine that does other things too takes for a frame says
 * nothing, and no test fails by it.
 */
export async function printFrames(page: Page, what: string, selector: string | null, byPx = 600) {
  const frames = (await page.evaluate(
    `(${SCROLL})(${JSON.stringify(selector)}, ${byPx})`,
  )) as readonly number[];
  const at = (share: number) => (frames[Math.floor(frames.length * share)] ?? 0).toFixed(1);
  console.info(`${what}, frames while scrolling: median ${at(0.5)} ms, 95 % below ${at(0.95)} ms`);
}
