import { gatePackage } from '../../tsup.base.js';

/** Neither split nor shaken: Rollup, which does both, would take `'use client'` out of the file. */
export default gatePackage({ platform: 'browser', target: 'es2022', splitting: false, treeshake: false });
