/**
 * Handles `gateramp … | head`: the reader has closed the pipe. This is not a failure; a command that follows something
 * ends as with Ctrl-C, and any other at once.
 */
export function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (!process.emit('SIGINT', 'SIGINT')) process.exit(0);
  });
}
