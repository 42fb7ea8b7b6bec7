/**
 * Values that a message, a cause or a refusal may carry: numbers and names of the model, nothing internal.
 */
export type Params = Readonly<Record<string, string | number>>;
