import type { GateWith } from '@gateramp/core';
import type { ConsoleAccess } from '@gateramp/extensions/console-access';
import type { Inspection } from '@gateramp/extensions/inspection';

/** The gate of a console, which has the extensions `consoleAccess()` and `inspection()`. */
export type Gate = GateWith<readonly [ConsoleAccess, Inspection]>;
