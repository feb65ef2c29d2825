import { it } from 'vitest';

import { STORIES } from '../../buyers/stories.js';
import { openWebKitTab } from '../../buyers/webkit.js';

/** What a script presses may not copy, and the driver (2.50) hangs when it goes back. */
const OTHERS = /^(a copy button|Back)/;

const stories = Object.entries(STORIES).filter(([title]) => !OTHERS.test(title));

it.each(stories)('in WebKitGTK %s', { timeout: 60_000 }, async (_, story) => {
  await story(openWebKitTab);
});
