/** The column of a member of a row. */
export function columnOf(member: string): string {
  // A reserved word of SQL.
  if (member === 'group') return 'group_key';
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The select list that returns rows with these members. */
export function asMembers(members: readonly string[]): string {
  return members.map((member) => `${columnOf(member)} as "${member}"`).join(', ');
}
