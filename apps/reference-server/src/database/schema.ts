/** Where the store keeps its tables. One schema, so that one backup holds everything. */
export const SCHEMA = 'gateramp';
