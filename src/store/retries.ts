/** The number of times that a transaction which loses races runs before its caller gets the Conflict. */
export const RETRIES = 5;
