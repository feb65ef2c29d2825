import { runs } from '../../../tests/depth.js';
import { sqliteSubject } from './sqlite-subject.js';
import { crashEverywhere } from '../../core/test/engine/crash/crash-everywhere.js';
import { crashTrades } from '../../core/test/engine/crash/crash-trades.js';
import { expectRailsWhole } from '../../core/test/engine/crash/expect-rails-whole.js';
import { expectWhole } from '../../core/test/engine/crash/expect-whole.js';
import { onStoresOf } from '../../core/test/engine/crash/ground.js';
import { RAIL_STORIES } from '../../core/test/engine/crash/rail-stories.js';
import { expectRefundedOnce, REFUNDS } from '../../core/test/engine/crash/refund-stories.js';
import { expectReplayedOnce, REPLAYS } from '../../core/test/engine/crash/replay-stories.js';
import { PURCHASES, TURNS } from '../../core/test/engine/crash/stories.js';

/** The crash tests of core on a file, which the next process opens again. */
const grounds = onStoresOf(sqliteSubject, runs(74, 37));

crashEverywhere({ ...PURCHASES, ...TURNS }, (t, id, { ending }) => expectWhole(t, id, ending), grounds);
crashEverywhere(RAIL_STORIES, (t, id, { kind, ending }) => expectRailsWhole(t, id, kind, ending), grounds);
crashEverywhere(REFUNDS, expectRefundedOnce, grounds);
crashEverywhere(REPLAYS, expectReplayedOnce, grounds);
crashTrades(grounds);
