export { assertBalanced, memoryLegsStore } from './memory-legs-store.js';
export type * from './ports/legs.js';
export type * from './ports/legs-store.js';
