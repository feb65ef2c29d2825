import { isDeep } from '../../../tests/depth.js';

/** The names of both kinds of Postgres: planners differ, so `npm run test:deep` tests everything that depends on a plan on each. */
export const EACH_POSTGRES: readonly (readonly [name: string, stock: boolean])[] = [
  ['the Postgres from npm', false],
  ...(isDeep ? [["the machine's own Postgres, as it comes", true] as const] : []),
];
