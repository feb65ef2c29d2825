import { text } from 'node:stream/consumers';
import { printNote } from './print.js';

/** The secret of an option or argument: `-` reads it from standard input. */
export async function secretArgument(name: string, given: string): Promise<string> {
  if (given === '-') return (await text(process.stdin)).replace(/\r?\n$/, '');
  printNote(
    `Warning: other users of this machine can read arguments, and your shell history stores them. Pass ${name} as "-" and the secret on standard input.`,
  );
  return given;
}
