/** How often a transaction that lost a race is run, whole, before its caller hears of it. */
export const RETRIES = 5;
