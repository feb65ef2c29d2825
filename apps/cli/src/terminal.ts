import { readEnvironment, type Environment } from './environment.js';

/** What a command sees of the world: where it writes, and what it was set up with. */
export interface Terminal {
  readonly out: (line: string) => void;
  /** What is no result: progress, warnings, errors. */
  readonly note: (line: string) => void;
  /** Colours, where they are shown; the text as it is elsewhere. */
  readonly paint: (colour: Colour, text: string) => string;
  readonly environment: Environment;
}

const COLOURS = { red: 31, green: 32, yellow: 33, grey: 90, bold: 1 } as const;
export type Colour = keyof typeof COLOURS;

export function terminal(): Terminal {
  const environment = readEnvironment();
  const hasColours = process.stdout.isTTY && !environment.noColour;
  return {
    out: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    paint: (colour, text) => (hasColours ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text),
    environment,
  };
}
