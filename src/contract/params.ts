/** Values that a message, a cause or a refusal may carry: numbers, names of the model, and nothing of the platform's inside. */
export type Params = Readonly<Record<string, string | number>>;
