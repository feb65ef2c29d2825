import {
  createGateOnRamp,
  GateRamp,
  MountError,
  type GateRampConfig,
  type GateRampHandlers,
} from '@gateramp/sdk-browser';
import { GateOnRamp, RampCheckout, type RampCheckoutProps } from '@gateramp/sdk-react';
import { Gate, webhooks, type WebhookReceiver } from '@gateramp/sdk-node';
import { createElement, type ReactElement } from 'react';

/** What a page's own bundler compiles: the DOM's types and none of Node's. The Node SDK is here as on an edge runtime. */
const optional: string | undefined = undefined;
const config: GateRampConfig = { publishableKey: 'pk_test_consumer', clientSecret: 'gsec_…', environment: 'sandbox' };
const handlers: GateRampHandlers = { onSuccess: ({ txId, amount }) => console.log(txId, amount ?? optional) };

export async function open(target: HTMLElement): Promise<GateRamp> {
  const ramp = new GateRamp(config);
  try {
    await ramp.mount(target, handlers);
  } catch (error) {
    if (error instanceof MountError) console.warn(error.code, error.hint);
  }
  createGateOnRamp(config).unmount();
  return ramp;
}

const props: RampCheckoutProps = { ...config, onClose: ({ reason }) => console.log(reason), className: 'checkout' };
export const Checkout = (): ReactElement => (
  <>
    <RampCheckout {...props} />
    <GateOnRamp publishableKey="pk_test_consumer" onMountError={console.error} />
    {createElement(RampCheckout, props)}
  </>
);

const gate = new Gate('sk_test_consumer', { fetch });
const receiver: WebhookReceiver = webhooks.receive({ secret: 'whsec_consumer', handle: ({ id }) => console.log(id) });
export const POST: (request: Request) => Promise<Response> = receiver.fetch;
export const retrieve = (id: string): Promise<string> => gate.gateSessions.retrieve(id).then(({ status }) => status);
