import type { ServerResponse } from 'node:http';
import type { ReceivedWebhook, ReceivedWebhooks } from './received-webhooks.js';

const STREAMS_MAX = 100;
/** What a page that does not read may leave behind before it is let go. */
const UNREAD_BYTES_MAX = 1 << 20;

/**
 * The open pages, notified of every webhook as it arrives (Server-Sent Events). A page that comes, or comes again, is told
 * of all that are kept.
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
    // A browser calls the stream open once the first bytes are there, and there may be no webhook yet.
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

/** JSON has no line break outside of its texts, where they are escaped: one line is one message. */
function textOf(webhook: ReceivedWebhook): string {
  return `event: webhook\ndata: ${JSON.stringify(webhook)}\n\n`;
}
