import type { GateWith } from '@gateramp/core';
import type { ConsoleAccess } from '@gateramp/extensions/console-access';
import type { Inspection } from '@gateramp/extensions/inspection';
import type { Sandboxes } from '@gateramp/extensions/sandbox';

/** The gate of a console, which has the extensions `consoleAccess()` and `inspection()`. */
export type Gate = GateWith<readonly [ConsoleAccess, Inspection, Sandboxes]>;
