import { crashEverywhere } from './crash-everywhere.js';
import { expectWhole } from './expect-whole.js';
import { PURCHASES } from './stories.js';

crashEverywhere(PURCHASES, (t, id, { ending }) => expectWhole(t, id, ending));
