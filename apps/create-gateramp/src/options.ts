import { parseArgs } from 'node:util';

export const TEMPLATES = {
  express: 'a shop on Express',
  fastify: 'a shop on Fastify',
  next: 'a shop on Next.js',
  'tests-only': 'tests of a shop, with Vitest and a gate in memory',
} as const;

export type Template = keyof typeof TEMPLATES;

const NAMES = Object.keys(TEMPLATES).join(', ');

export const isTemplate = (text: string): text is Template => Object.hasOwn(TEMPLATES, text);

/** What the command line says; null for what it leaves open. */
export interface Options {
  readonly folder: string | null;
  readonly template: Template | null;
  /** The folder of `npm run pack`, to install from instead of the registry. */
  readonly packs: string | null;
}

/** An error for the user: it needs no stack trace. */
export class UsageError extends Error {}

export const HELP = `Usage: npm create gateramp [folder] -- [--template <name>] [--packs <folder>]

Creates a small project that sells through Gateramp, in a new or empty folder.

Templates:
${Object.entries(TEMPLATES)
  .map(([name, meaning]) => `  ${name.padEnd(12)}${meaning}`)
  .join('\n')}

Options:
  --template <name>   the template; without it, you are asked
  --packs <folder>    install the packages from the folder of \`npm run pack\`, not from the registry
  --help              print this text
`;

/** Parses the arguments. Returns 'help' for --help. Throws a UsageError. */
export function optionsOf(args: readonly string[]): Options | 'help' {
  const { values, positionals } = parsed(args);
  if (values.help === true) return 'help';
  if (positionals.length > 1)
    throw new UsageError(`Pass one folder, not ${positionals.length}: ${positionals.join(' ')}`);
  return {
    folder: positionals[0] ?? null,
    template: values.template === undefined ? null : templateOf(values.template),
    packs: values.packs ?? null,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        template: { type: 'string', short: 't' },
        packs: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\nSee --help.`, { cause: error });
  }
}

export function templateOf(text: string): Template {
  if (isTemplate(text)) return text;
  throw new UsageError(`There is no template "${text}". Choose one of: ${NAMES}.`);
}
