/** Where an agent dies on its way through a command, by what it has done to the world until then. */
export const AGENT_POINTS = {
  taken: 'the command is its own, nothing of it is begun',
  recorded: 'the order is durable, no process has been touched',
  first: 'one of three processes is started, or told to end',
  last: 'the last of them is',
  unsaid: 'it is applied, or removed, and nobody was told so',
  said: 'it has said so and is on record, the answer is never seen',
} as const;
export type AgentPoint = keyof typeof AGENT_POINTS;

/** The faults that a death there is. */
export const AGENT_FAULTS: Readonly<Record<AgentPoint, string>> = {
  taken: 'F08',
  recorded: 'F09',
  first: 'F09',
  last: 'F10',
  unsaid: 'F10',
  said: 'F11',
};

/** In its environment; what is to die is the real program, with this beside it. */
export const POINT_VARIABLE = 'EVIDENT_TEST_DIES';
