import { eachMatch, type Finder, linesWhile } from './finding.ts';

/** tsc, plain or with source lines below. */
export const tscErrors: Finder = (lines) =>
  eachMatch(lines, /^\S.*\.[cm]?[jt]sx?(?:\(\d+,\d+\)|:\d+:\d+) ?[:-] error TS\d+: .*/, ([header]) => ({
    headline: header,
    lines: [header],
    weight: 3,
    isListed: true,
  }));

/** The text between "error during build:" and the stack of Vite itself. */
export const viteErrors: Finder = (lines) =>
  eachMatch(lines, /^error during build:$/, (_, at) => {
    const said = linesWhile(lines, at + 1, 12, (line) => !/^\s+at /.test(line)).filter((line) => line !== '');
    const [first = ''] = said;
    if (first === '') return null;
    return { headline: first.replace(/^(?:\[[^\]]+\]:? )+/, ''), lines: said.slice(0, 8), weight: 3 };
  });

/** esbuild: the error, its place and the line. */
export const esbuildErrors: Finder = (lines) =>
  eachMatch(lines, /^[✘X] \[ERROR\] (.*)/, ([header, text = ''], at) => {
    const below = linesWhile(lines, at + 2, 4, (line) => /^\s/.test(line));
    return { headline: text, lines: [header, ...below], weight: 3, isListed: true };
  });

/** `go build` and `go vet`. */
export const goErrors: Finder = (lines) =>
  eachMatch(lines, /^(?:\S+\/)?[\w.-]+\.go:\d+(?::\d+)?: .*/, ([header], at) => ({
    headline: header,
    lines: [header, ...linesWhile(lines, at + 1, 3, (line) => line.startsWith('\t'))],
    weight: 3,
    isListed: true,
  }));

export const goModuleErrors: Finder = (lines) =>
  eachMatch(lines, /^go: (?!downloading|finding|found|added|upgraded|warning).*/, ([header]) => ({
    headline: header,
    lines: [header],
    weight: 2,
    isListed: true,
  }));

/** rustc: the error and its place. */
export const rustErrors: Finder = (lines) =>
  eachMatch(lines, /^error(?:\[E\d+\])?: (?!could not compile|aborting).*/, ([header], at) => {
    const below = linesWhile(lines, at + 1, 5, (line) => /^\s/.test(line));
    return below.length === 0
      ? null
      : { headline: header, lines: [header, ...below], weight: 3, isListed: true };
  });
