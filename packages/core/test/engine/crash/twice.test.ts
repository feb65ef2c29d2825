import { crashTwice } from './crash-twice.js';
import { expectRailsWhole } from './expect-rails-whole.js';
import { expectWhole } from './expect-whole.js';
import { RAIL_STORIES, type RailStory } from './rail-stories.js';
import { PURCHASES, type Story } from './stories.js';

// These stories cover every way of recovering a step; the others only repeat them.
crashTwice<Story>(
  { '3-D Secure': PURCHASES['3-D Secure'], 'a sale of crypto': PURCHASES['a sale of crypto'] },
  (t, id, { ending }) => expectWhole(t, id, ending),
);
crashTwice<RailStory>(
  {
    'a pay-in that is paid': RAIL_STORIES['a pay-in that is paid'],
    'a pay-out whose crypto never comes': RAIL_STORIES['a pay-out whose crypto never comes'],
  },
  (t, id, { kind, ending }) => expectRailsWhole(t, id, kind, ending),
);
