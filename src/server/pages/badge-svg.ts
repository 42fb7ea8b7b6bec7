import type { Badge } from '../../contract/presentation/badge.ts';

const COLOURS: Readonly<Record<Badge['color'], string>> = {
  brightgreen: '#2e7d32',
  orange: '#b45309',
  red: '#b3261e',
  blue: '#1d5fbf',
  lightgrey: '#5f6368',
};
/** Text is stretched or pressed to this width for each letter, so that a badge needs no font to be measured. */
const LETTER = 6.6;
const PADDING = 6;
const HEIGHT = 20;

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Hatched where nothing is known, as on the pages. */
export function badgeSvg({ label, message, color, isKnown }: Badge): string {
  const [left, right] = [widthOf(label), widthOf(message)];
  const title = escaped(`${label}: ${message}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    '<defs><clipPath id="r"><rect width="100%" height="100%" rx="3"/></clipPath>',
    '<pattern id="h" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">',
    '<rect width="3" height="6" fill="#fff" fill-opacity=".22"/></pattern></defs>',
    '<g clip-path="url(#r)">',
    `<rect width="${left}" height="${HEIGHT}" fill="#3c4043"/>`,
    `<rect x="${left}" width="${right}" height="${HEIGHT}" fill="${COLOURS[color]}"/>`,
    isKnown ? '' : `<rect x="${left}" width="${right}" height="${HEIGHT}" fill="url(#h)"/>`,
    '</g><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">',
    textAt(0, label),
    textAt(left, message),
    '</g></svg>',
  ].join('');
}

const lengthOf = (text: string) => Math.round([...text].length * LETTER);
const widthOf = (text: string) => lengthOf(text) + 2 * PADDING;

const textAt = (x: number, text: string) =>
  `<text x="${x + PADDING}" y="14" textLength="${lengthOf(text)}" lengthAdjust="spacingAndGlyphs">${escaped(text)}</text>`;
