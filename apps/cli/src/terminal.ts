import { readEnvironment, type Environment } from './environment.js';
import { escapeUnprintable } from './printable.js';

/** What a command sees of the world: where it writes, and what it was set up with. */
export interface Terminal {
  /** Writes one line of a result; its parts are separated by two spaces. */
  readonly out: (...parts: readonly (string | Painted)[]) => void;
  /** Writes one line that is not a result: progress, warnings, errors. */
  readonly note: (line: string) => void;
  readonly environment: Environment;
}

const COLOURS = { red: 31, green: 32, yellow: 33, grey: 90, bold: 1 } as const;
export type Colour = keyof typeof COLOURS;

/** A text with its colour, which is shown on a terminal only. */
export interface Painted {
  readonly colour: Colour;
  readonly text: string;
}

export function paint(colour: Colour, text: string): Painted {
  return { colour, text };
}

/** The one place that writes: colours are added here, after control and format characters of the text have been escaped. */
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
