export * from './export.js';
export * from './move-note.js';
