import { crashEverywhere } from './crash-everywhere.js';
import { crashTwice } from './crash-twice.js';
import { expectRefundedOnce, REFUNDS, type RefundStory } from './refund-stories.js';

crashEverywhere<RefundStory>(REFUNDS, expectRefundedOnce);
crashTwice<RefundStory>({ 'a refund of the whole': REFUNDS['a refund of the whole'] }, expectRefundedOnce);
