import { crashEverywhere } from './crash-everywhere.js';
import { expectWhole } from './expect-whole.js';
import { TURNS } from './stories.js';

crashEverywhere(TURNS, (t, id, { ending }) => expectWhole(t, id, ending));
