/** The points at which an agent is killed while it executes a command, each with its effects until then. */
export const AGENT_POINTS = {
  acquired: 'it has acquired the lease and begun nothing',
  recorded: 'its record of the command is durable, no process has been touched',
  first: 'one of three processes is started, or signalled to end',
  last: 'the last of the three is started, or signalled to end',
  unsubmitted: 'the revision is applied, or removed, and the result is not submitted',
  submitted: 'the result is submitted and recorded, the agent has not received the answer',
} as const;
export type AgentPoint = keyof typeof AGENT_POINTS;

/** The fault that a kill at each point is. */
export const AGENT_FAULTS: Readonly<Record<AgentPoint, string>> = {
  acquired: 'F08',
  recorded: 'F09',
  first: 'F09',
  last: 'F10',
  unsubmitted: 'F10',
  submitted: 'F11',
};

/** Environment variable that passes the point to the agent's kill hook. The program itself does not read it. */
export const POINT_VARIABLE = 'EVIDENT_TEST_DIES';
