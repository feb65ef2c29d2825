/**
 * When a key was last used. A column and not a member of the row: saving a key writes the row as a whole, and must not undo what another
 * process has noted meanwhile.
 */
export const keyUse = `
alter table gate.api_keys add column last_used_at bigint;
`;
