import type { ServerResponse } from 'node:http';
import type { ReceivedWebhook, ReceivedWebhooks } from './received-webhooks.js';

const STREAMS_MAX = 100;
/** The unread bytes after which a page that does not read is disconnected. */
const UNREAD_BYTES_MAX = 1 << 20;

/**
 * Sends every webhook to the open pages as it arrives (Server-Sent Events). A page that connects or reconnects receives all kept webhooks
 * first.
 */
export class WebhookStreams {
  private readonly open = new Set<ServerResponse>();

  constructor(private readonly received: ReceivedWebhooks) {}

  get isFull(): boolean {
    return this.open.size >= STREAMS_MAX;
  }

  add(response: ServerResponse): void {
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    this.open.add(response);
    response.once('close', () => this.open.delete(response));
    // Browsers report the stream as open once the first bytes arrive, and there may be no webhook yet.
    response.write(': open\n\n');
    for (const webhook of this.received.list().toReversed()) response.write(textOf(webhook));
  }

  send(webhook: ReceivedWebhook): void {
    for (const response of this.open) {
      if (response.writableLength > UNREAD_BYTES_MAX) response.destroy();
      else response.write(textOf(webhook));
    }
  }

  end(): void {
    for (const response of this.open) response.end();
  }
}

/** Compact JSON contains no line breaks, so each message is one data line. */
function textOf(webhook: ReceivedWebhook): string {
  return `event: webhook\ndata: ${JSON.stringify(webhook)}\n\n`;
}
