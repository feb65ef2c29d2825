/** The schema of all tables. A single one, so that one backup contains everything. */
export const SCHEMA = 'gateramp';
