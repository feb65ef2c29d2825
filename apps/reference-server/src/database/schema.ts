/** Where the store and the server keep their tables. One schema, so that one backup holds everything. */
export const SCHEMA = 'gateramp';
