import fc from 'fast-check';

/**
 * Every run tries the same cases, so that a failure in CI can be reproduced anywhere. EVIDENT_FC_SEED=N tries others,
 * and what they find becomes a test of its own.
 */
fc.configureGlobal({ seed: Number(process.env.EVIDENT_FC_SEED ?? 1) });
