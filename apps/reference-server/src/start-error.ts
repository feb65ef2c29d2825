/** What keeps the server or a command from starting, said to the operator: no stack trace helps with a wrong setting. */
export class StartError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(textOf(problems, 'Gateramp cannot start.'));
  }

  /** As a command says it. */
  get ofCommand(): string {
    return textOf(this.problems, 'The command cannot run.');
  }
}

function textOf(problems: readonly string[], what: string): string {
  const many = problems.length === 1 ? 'this problem' : `these ${problems.length} problems`;
  return `${what} Fix ${many}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`;
}
