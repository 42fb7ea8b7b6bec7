import { eachMatch, type Finder } from './finding.ts';

const NPM = /^npm (?:error|ERR!) ?(.*)$/;
/** From here on npm explains how the command is used. */
const NPM_USAGE = /^(?:Usage:|Options:|Clean install a project|Install a package)/;
/** Says that something failed, and where npm keeps its own log: never why. */
const NPM_FRAME =
  /^(?:code |errno |syscall |path |cwd |command |signal |A complete log|Lifecycle script|This is probably not a problem with npm|workspace |location |\d{3}(?:$| Note that| tarball,)|notarget In most cases|$)/;

/** npm, without its usage and the frame around its message. */
export const npmErrors: Finder = (lines) => {
  const at = lines.findIndex((line) => NPM.test(line));
  if (at === -1) return [];
  const said: string[] = [];
  for (const line of lines.slice(at)) {
    const text = NPM.exec(line)?.[1];
    if (text === undefined) continue;
    if (NPM_USAGE.test(text)) break;
    if (!NPM_FRAME.test(text)) said.push(line);
  }
  const [first] = said;
  if (first === undefined) return [];
  const headline = (NPM.exec(first)?.[1] ?? first).replace(/^(?:\d{3}|notarget|ERESOLVE|engine)\s+/, '');
  return [{ at, headline, lines: said, weight: 2 }];
};

export const pnpmErrors: Finder = (lines) =>
  eachMatch(lines, /^\s?(ERR_PNPM_\w+)\s+(.*)$/, ([header, , text = ''], at) => {
    const rest = lines.slice(at + 1, at + 12).filter((line) => line !== '');
    return { headline: text, lines: [header.trim(), ...rest.slice(0, 4)], weight: 2 };
  });

export const yarnErrors: Finder = (lines) => [
  ...eachMatch(lines, /^error (?!Command failed with exit code)(.*)$/, ([header, text = '']) => ({
    headline: text,
    lines: [header],
    weight: 2,
  })),
  // The codes of Yarn 2 and later that end an install; YN0000 and the codes of warnings do not.
  ...eachMatch(
    lines,
    /^➤ YN(?:0001|0009|0016|0020|0027|0028|0035|0041|0082): (?:[│├└┌]\s*)?(.*)$/,
    ([header, text = '']) => ({ headline: text, lines: [header], weight: 2, isListed: true }),
  ),
];

/** pip. A list of every version that there is says nothing. */
export const pipErrors: Finder = (lines) =>
  eachMatch(lines, /^\s*(?:ERROR|error): (?!subprocess-exited-with-error)(.*)$/, ([header, text = '']) => ({
    headline: withoutVersions(text),
    lines: [withoutVersions(header)],
    weight: 2,
    isListed: true,
  }));

const withoutVersions = (text: string) => text.replace(/ \(from versions: [^)]{60,}\)/, '');
