import type { AgentRow } from '../../src/store/schema.ts';
import { digitsAsNumber } from './books.ts';
import type { Findings } from './findings.ts';

/** Every registration for a target has a higher epoch, and an instance that it fenced never registers again. */
export class RegistrationRules {
  readonly #findings: Findings;
  readonly #fenced = new Set<string>();

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  agent(row: AgentRow, before: AgentRow | undefined): void {
    if (before === undefined || (before.instance === row.instance && before.epoch === row.epoch)) return;
    this.#findings.count('S3.registered');
    const said = `${row.instance} registered at ${row.target} of ${row.org} with epoch ${row.epoch}`;
    if (digitsAsNumber(row.epoch) <= digitsAsNumber(before.epoch))
      this.#findings.broken('S3', `${said}, but ${before.epoch} was handed out already`);
    this.#fenced.add(`${row.org}|${row.target}|${before.instance}`);
    if (this.#fenced.has(`${row.org}|${row.target}|${row.instance}`))
      this.#findings.broken('S3', `${said}, but a newer registration had fenced that instance`);
  }
}
