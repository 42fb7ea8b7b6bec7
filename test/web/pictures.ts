import type { Page } from 'playwright-core';

/**
 * The part of two pictures that differs: 1 where their sizes do. Each cell of some pixels is averaged first, so that
 * antialiasing and hinting of another machine count for nothing, while a moved, missing or recoloured shape counts.
 * The browser compares: it decodes pictures, and no dependency has to.
 */
export async function differingCells(page: Page, one: Buffer, other: Buffer, cell = 4): Promise<number> {
  const urls = [one, other].map((bytes) => `data:image/png;base64,${bytes.toString('base64')}`);
  return (await page.evaluate(`(${COMPARE})(${JSON.stringify(urls)}, ${cell})`)) as number;
}

/** Runs in the page. A font may be some pixels wider elsewhere; a channel may differ by a sixth. */
const COMPARE = `async (urls, cell) => {
  const [a, b] = await Promise.all(urls.map(async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(image.width / cell));
    canvas.height = Math.max(1, Math.round(image.height / cell));
    const context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return context.getImageData(0, 0, canvas.width, canvas.height);
  }));
  if (a.width !== b.width || a.height !== b.height) return 1;
  let differing = 0;
  for (let i = 0; i < a.data.length; i += 4)
    if ([0, 1, 2].some((c) => Math.abs(a.data[i + c] - b.data[i + c]) > 40)) differing++;
  return differing / (a.data.length / 4);
}`;
