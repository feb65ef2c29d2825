import type { GateWith } from '@gateramp/core';
import type { ConsoleAccess } from '@gateramp/extensions/console-access';

/** The gate of a console, which has the extension `consoleAccess()`. */
export type Gate = GateWith<readonly [ConsoleAccess]>;
