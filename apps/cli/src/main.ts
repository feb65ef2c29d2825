#!/usr/bin/env node
import { exitCodeOf } from './exit-codes.js';
import { program } from './program.js';
import { terminal } from './terminal.js';

program(terminal())
  .parseAsync()
  .catch((error: unknown) => {
    process.exitCode = exitCodeOf(error, terminal());
  });
