#!/usr/bin/env node
import { endWithReader } from './closed-pipe.js';
import { exitCodeOf } from './exit-codes.js';
import { program } from './program.js';
import { terminal } from './terminal.js';

endWithReader(process.stdout);
program(terminal())
  .parseAsync()
  .catch((error: unknown) => {
    process.exitCode = exitCodeOf(error, terminal());
  });
