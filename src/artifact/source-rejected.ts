import { Refusal } from '../contract/refusal.ts';

/**
 * The rules by which a source is refused. The first seven are sizes; the server answers them with
 * `too_large`.
 */
const SOURCE_RULES = [
  'too_large',
  'too_many_entries',
  'too_large_unpacked',
  'file_too_large',
  'compressed_too_well',
  'path_too_long',
  'path_too_deep',
  'not_an_archive',
  'damaged',
  'truncated',
  'nothing_inside',
  'leaves_the_archive',
  'absolute_path',
  'unsafe_name',
  'link',
  'special_file',
  'setuid',
  'name_taken',
] as const;
export type SourceRule = (typeof SOURCE_RULES)[number];

const SIZES: ReadonlySet<SourceRule> = new Set(SOURCE_RULES.slice(0, 7));

/** A refused source. The message is a sentence for the user that names the entry and the rule. */
export class SourceRejected extends Refusal {
  override readonly name = 'SourceRejected';
  override readonly code: 'too_large' | 'source_rejected';
  readonly rule: SourceRule;
  readonly entry: string | null;
  constructor(rule: SourceRule, entry: string | null, sentence: string) {
    super(entry === null ? sentence : `${quoted(entry)} ${sentence}`);
    this.code = SIZES.has(rule) ? 'too_large' : 'source_rejected';
    this.rule = rule;
    this.entry = entry;
  }
}

/** Makes a name from an outside archive safe to print: no control characters, no text direction changes. */
export function quoted(name: string): string {
  const short = name.length > 120 ? `${name.slice(0, 120)}…` : name;
  return `"${short.replace(/[\p{C}\p{Zl}\p{Zp}"\\]/gu, escaped)}"`;
}

const escaped = (char: string) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
