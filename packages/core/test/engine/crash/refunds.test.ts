import { crashEverywhere } from './crash-everywhere.js';
import { crashTwice } from './crash-twice.js';
import { expectRefundedOnce, NOT_SENT, REFUNDS, refusingOnce, type RefundStory } from './refund-stories.js';

crashEverywhere<RefundStory>(REFUNDS, expectRefundedOnce);
crashEverywhere<RefundStory>(NOT_SENT, expectRefundedOnce, refusingOnce);
crashTwice<RefundStory>({ 'a refund of the whole': REFUNDS['a refund of the whole'] }, expectRefundedOnce);
