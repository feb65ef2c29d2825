import fc from 'fast-check';

/**
 * All random tests of a run use one seed, the same on every machine, so that the result depends on the change rather than on luck.
 * `GATE_TEST_SEED` sets another one, and `random` a new one (`npm run test:explore`).
 */
const usual = 20_261_122;
const wanted = process.env.GATE_TEST_SEED ?? String(usual);
const seed = wanted === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(wanted);
if (!Number.isInteger(seed)) throw new Error(`GATE_TEST_SEED is ${wanted}; it takes a whole number or "random".`);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
