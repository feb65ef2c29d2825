import { call as callApi } from '../../tests/guides/call.js';

/** What the guides' blocks have around them: the function that `docs/guides/README.md` shows. Unlike the other contexts it is run. */
export const call = callApi;

/** Of the partner whose server the blocks are. */
export const secretKey = process.env['GATE_SECRET_KEY'] ?? 'sk_test_gateramp_demo_secret_key';
export const publishableKey = process.env['GATE_PUBLISHABLE_KEY'] ?? 'pk_test_gateramp_demo_publishable_key';
export const webhookSecret = process.env['GATE_WEBHOOK_SECRET'] ?? 'whsec_gateramp_demo_webhook_secret';
/** Where the partner's webhooks go. */
export const webhookPort = Number(process.env['WEBHOOK_PORT'] ?? 4240);

/** The live host and a key of it. */
export const live = { url: process.env['GATE_LIVE_URL'] ?? '', key: process.env['GATE_LIVE_KEY'] ?? '' };

/** The host of pools, which knows live keys alone. */
export const pools = { url: process.env['GATE_POOLS_URL'] ?? '', key: process.env['GATE_LIVE_KEY'] ?? '' };

/** What the partner does with a finished purchase. */
export async function grantOnce(eventId: string, txRefid: string): Promise<void> {
  granted.set(eventId, txRefid);
}

const granted = new Map<string, string>();
