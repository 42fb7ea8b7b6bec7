import { wellFormed } from './well-formed.ts';

/** Shorter values are words and numbers that logs are full of: to replace them would hide more than they do. */
const MIN_LENGTH = 6;

/** Secrets known by their value, as the `secret`s of a service's spec, also in the forms they are usually sent in. */
export class KnownValues {
  /** The longest first: one value may be part of another. */
  readonly #forms: readonly string[];

  constructor(values: Iterable<string>) {
    const forms = new Set<string>();
    for (const value of values) {
      if (value.trim().length < MIN_LENGTH) continue;
      for (const form of formsOf(value)) forms.add(form);
    }
    this.#forms = [...forms].sort((a, b) => b.length - a.length);
  }

  replaceIn(text: string): string {
    let result = text;
    for (const form of this.#forms) {
      if (result.includes(form)) result = result.replaceAll(form, '[redacted value]');
    }
    return result;
  }
}

export const NO_VALUES = new KnownValues([]);

/** It is no secret, and what comes between two of them is known by them: that of another key too. */
const isArmour = (line: string) => /^\s*-----(?:BEGIN|END) [A-Z0-9 ]+-----\s*$/.test(line);

function formsOf(value: string): string[] {
  const lines = value.split(/\r?\n/).filter((line) => line.trim().length >= 16 && !isArmour(line));
  return [
    value,
    value.trim(),
    encodeURIComponent(wellFormed(value)),
    JSON.stringify(value).slice(1, -1),
    Buffer.from(value).toString('base64'),
    Buffer.from(value).toString('base64url'),
    Buffer.from(value).toString('hex'),
    // A value of several lines reaches a log line by line.
    ...(value.includes('\n') ? lines : []),
  ];
}
