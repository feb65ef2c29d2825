/** Few sessions are held at any moment; whoever counts them must not read the others. A database that has the index already keeps it. */
export const heldSessions = `
create index if not exists sessions_held on gate.sessions (mode) where is_held;
`;
