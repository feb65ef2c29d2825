import { crashEverywhere } from './crash-everywhere.js';
import { expectRailsWhole } from './expect-rails-whole.js';
import { RAIL_STORIES } from './rail-stories.js';

crashEverywhere(RAIL_STORIES, (t, id, { kind, ending }) => expectRailsWhole(t, id, kind, ending));
