import { it } from 'vitest';

import { STORIES } from '../../buyers/stories.js';
import { openWebKitTab } from '../../buyers/webkit.js';

/** Scripted clicks may not write to the clipboard, and the driver (2.50) hangs on Back. */
const OTHERS = /^(a copy button|Back)/;

const stories = Object.entries(STORIES).filter(([title]) => !OTHERS.test(title));

it.each(stories)('in WebKitGTK %s', async (_, story) => {
  await story(openWebKitTab);
});
