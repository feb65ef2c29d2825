import { spawn } from 'node:child_process';
import { type Command } from 'commander';
import { withJson } from '../service.js';
import { type Terminal } from '../terminal.js';
import { urlOf } from '../url-of.js';

interface Options {
  readonly url: string;
  readonly print?: boolean;
  readonly json?: boolean;
}

const HELP = `
Examples:
  $ gateramp open
  $ gateramp open --print`;

export function addOpen(gateramp: Command, terminal: Terminal): void {
  withJson(gateramp.command('open'))
    .description('open the demo shop of a server on this machine')
    .option('--url <url>', 'URL of the demo shop', 'http://127.0.0.1:4240/')
    .option('--print', 'print the URL without opening it')
    .addHelpText('after', HELP)
    .action((options: Options) => {
      const url = urlOf(options.url);
      terminal.out(options.json === true ? JSON.stringify({ url }) : url);
      if (options.print !== true && options.json !== true && process.stdout.isTTY) openBrowser(url, terminal);
    });
}

/** The URL is passed as a separate argument, never as part of a shell command. */
function openBrowser(url: string, { note }: Terminal): void {
  const [command, args]: [string, string[]] =
    process.platform === 'darwin'
      ? ['open', [url]]
      : process.platform === 'win32'
        ? ['rundll32', ['url.dll,FileProtocolHandler', url]]
        : ['xdg-open', [url]];
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  child.on('error', () => note('Could not open a browser. Open the URL above.'));
  child.unref();
}
