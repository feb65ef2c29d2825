/** The column of a member of a row. */
export function columnOf(member: string): string {
  // A word of SQL.
  if (member === 'group') return 'group_key';
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** What a statement selects to answer with rows that have these members. */
export function asMembers(members: readonly string[]): string {
  return members.map((member) => `${columnOf(member)} as "${member}"`).join(', ');
}
