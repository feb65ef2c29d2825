import { runs } from '../../../../../tests/depth.js';
import { sqliteSubject } from '../../../../adapters-store-sqlite/test/sqlite-subject.js';
import { crashEverywhere } from './crash-everywhere.js';
import { crashTrades } from './crash-trades.js';
import { expectRailsWhole } from './expect-rails-whole.js';
import { expectWhole } from './expect-whole.js';
import { onStoresOf } from './ground.js';
import { RAIL_STORIES } from './rail-stories.js';
import { expectRefundedOnce, REFUNDS } from './refund-stories.js';
import { expectReplayedOnce, REPLAYS } from './replay-stories.js';
import { PURCHASES, TURNS } from './stories.js';

/** The same runs on a file, which the next process opens again. */
const grounds = onStoresOf(sqliteSubject, runs(74, 37));

crashEverywhere({ ...PURCHASES, ...TURNS }, (t, id, { ending }) => expectWhole(t, id, ending), grounds);
crashEverywhere(RAIL_STORIES, (t, id, { kind, ending }) => expectRailsWhole(t, id, kind, ending), grounds);
crashEverywhere(REFUNDS, expectRefundedOnce, grounds);
crashEverywhere(REPLAYS, expectReplayedOnce, grounds);
crashTrades(grounds);
