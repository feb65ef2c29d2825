import { crashEverywhere } from './crash-everywhere.js';
import { expectReplayedOnce, REPLAYS } from './replay-stories.js';

crashEverywhere(REPLAYS, expectReplayedOnce);
