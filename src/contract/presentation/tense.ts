/** The verbs of the sentences about a claim, each with its form for an instant of the past. */
const PAST = {
  is: 'was',
  are: 'were',
  has: 'had',
  does: 'did',
  can: 'could',
  cannot: 'could not',
  runs: 'ran',
  'runs now': 'ran then',
  serves: 'served',
  'still serves': 'still served',
  answers: 'answered',
  waits: 'waited',
  listens: 'listened',
  fails: 'failed',
  exits: 'exited',
  exited: 'had exited',
  becomes: 'became',
  stays: 'stayed',
  succeeds: 'succeeded',
  takes: 'took',
  says: 'said',
  do: 'did',
  see: 'saw',
  look: 'looked',
  rests: 'rested',
} as const;

type TensedVerb = keyof typeof PAST;

/** Gives a verb the tense of the instant that is shown. */
export type Tense = (verb: TensedVerb) => string;

export const inPresent: Tense = (verb) => verb;
export const inPast: Tense = (verb) => PAST[verb];
