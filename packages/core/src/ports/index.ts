export * from './change.js';
export * from './crypto.js';
export * from './document.js';
export * from './edge.js';
export * from './provider.js';
export * from './rate-limits.js';
export * from './scheduler.js';
export * from './store.js';
