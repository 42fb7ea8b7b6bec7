import { Refusal } from '../contract/refusal.ts';

/** A newer registration holds the target: this agent may neither act nor report any more (F65). */
export class AgentFenced extends Refusal {
  override readonly name = 'AgentFenced';
  constructor(target: string) {
    super(
      `Another agent has registered for ${target}: this one stops acting. What runs here goes on running. Start this one again to take over, or give each agent a target of its own.`,
    );
  }
}
