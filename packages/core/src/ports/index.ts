export * from './change.js';
export * from './contract.js';
export * from './crypto.js';
export * from './edge.js';
export * from './partners.js';
export * from './provider.js';
export * from './rows.js';
export * from './store.js';
