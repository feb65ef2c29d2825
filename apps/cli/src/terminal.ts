import { readEnvironment, type Environment } from './environment.js';
import { escapeUnprintable } from './printable.js';

/** A command's access to its surroundings: output and settings. */
export interface Terminal {
  /** Writes one line of a result; its parts are separated by two spaces. */
  readonly out: (...parts: readonly (string | Painted)[]) => void;
  /** Writes one line that is not a result: progress, warnings, errors. */
  readonly note: (line: string) => void;
  readonly environment: Environment;
}

const COLOURS = { red: 31, green: 32, yellow: 33, grey: 90, bold: 1 } as const;
export type Colour = keyof typeof COLOURS;

/** Text with a colour, which is only shown on a terminal. */
export interface Painted {
  readonly colour: Colour;
  readonly text: string;
}

export function paint(colour: Colour, text: string): Painted {
  return { colour, text };
}

/** The only place that writes: adds colours after control and format characters have been escaped. */
export function terminal(): Terminal {
  const environment = readEnvironment();
  const hasColours = process.stdout.isTTY && !environment.noColour;
  const shown = (part: string | Painted): string => {
    if (typeof part === 'string') return escapeUnprintable(part);
    const text = escapeUnprintable(part.text);
    return hasColours ? `\u001b[${COLOURS[part.colour]}m${text}\u001b[0m` : text;
  };
  return {
    out: (...parts) => void process.stdout.write(`${parts.map(shown).join('  ')}\n`),
    note: (line) => void process.stderr.write(`${escapeUnprintable(line)}\n`),
    environment,
  };
}
