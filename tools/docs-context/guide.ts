import { call as callApi } from '../../tests/guides/call.js';

/** The context of the guides' blocks: the function that `docs/guides/README.md` shows. Unlike the other contexts it is executed. */
export const call = callApi;

/** The key of the partner whose server runs the blocks. */
export const secretKey = process.env['GATE_SECRET_KEY'] ?? 'sk_test_gateramp_demo_secret_key';
export const publishableKey = process.env['GATE_PUBLISHABLE_KEY'] ?? 'pk_test_gateramp_demo_publishable_key';
export const webhookSecret = process.env['GATE_WEBHOOK_SECRET'] ?? 'whsec_gateramp_demo_webhook_secret';
/** The port of the partner's webhook receiver. */
export const webhookPort = Number(process.env['WEBHOOK_PORT'] ?? 4240);

/** The live host and one of its keys. */
export const live = { url: process.env['GATE_LIVE_URL'] ?? '', key: process.env['GATE_LIVE_KEY'] ?? '' };

/** The host of pools, which accepts live keys only. */
export const pools = { url: process.env['GATE_POOLS_URL'] ?? '', key: process.env['GATE_LIVE_KEY'] ?? '' };

/** The partner's handling of a finished purchase. */
export async function grantOnce(eventId: string, txRefid: string): Promise<void> {
  granted.set(eventId, txRefid);
}

const granted = new Map<string, string>();
