import { PlainError, run } from './steps.mjs';

/**
 * Runs npm, the one that started this process if there is one, and returns its output.
 *
 * @param {readonly string[]} args
 * @param {string} cwd
 */
export async function npm(args, cwd) {
  const script = process.env.npm_execpath;
  const [command, first] = script?.endsWith('npm-cli.js') ? [process.execPath, [script]] : ['npm', []];
  const { code, output } = await run(command, [...first, ...args], {
    cwd,
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (code !== 0) throw new PlainError(`npm ${args[0]} failed:\n${output}`);
  return output;
}
