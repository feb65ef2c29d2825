/** What keeps the server or a command from starting, told to the operator: no stack trace helps with a wrong setting. */
export class StartFault extends Error {
  constructor(
    readonly problems: readonly string[],
    what = 'Gateramp cannot start.',
  ) {
    super(
      `${what} ${problems.length === 1 ? 'One thing is' : `${problems.length} things are`} wrong:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
  }
}
