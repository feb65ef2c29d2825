import fc from 'fast-check';

/**
 * Every random test of a run plays one seed: the same on each machine, so that a change is judged by what it does and not by luck.
 * `GATE_TEST_SEED` gives another, and `random` a new one (`npm run test:explore`).
 */
const usual = 20_261_122;
const wanted = process.env.GATE_TEST_SEED ?? String(usual);
const seed = wanted === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(wanted);
if (!Number.isInteger(seed)) throw new Error(`GATE_TEST_SEED is ${wanted}; it takes a whole number or "random".`);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
