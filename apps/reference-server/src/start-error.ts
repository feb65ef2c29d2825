/** Prevents the start of the server or a command. Shown to the operator without a stack trace, which does not help with a wrong setting. */
export class StartError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(textOf(problems, 'Gateramp cannot start.'));
  }

  /** The text for a command. */
  get ofCommand(): string {
    return textOf(this.problems, 'The command cannot run.');
  }
}

function textOf(problems: readonly string[], what: string): string {
  const many = problems.length === 1 ? 'this problem' : `these ${problems.length} problems`;
  return `${what} Fix ${many}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`;
}
