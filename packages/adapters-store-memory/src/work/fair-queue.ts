import type { Instant } from '@gateramp/core/domain';
import { IndexedHeap } from '../structures/indexed-heap.js';
import { DueQueue, isSooner, type DueItem } from './due-queue.js';

/**
 * The queues of many endpoints, ordered by their heads: the cost of finding the next endpoint with due
 * work does not depend on the backlog of any.
 */
export class FairQueue<Item extends DueItem> {
  /** Contains no empty queue. */
  private readonly queues = new Map<string, DueQueue<Item>>();
  private readonly heads = new IndexedHeap<DueQueue<Item>>(isHeadSooner);

  wait(endpoint: string, item: Item): void {
    const queue = this.queueOf(endpoint);
    queue.wait(item);
    this.heads.place(queue);
  }

  lease(endpoint: string, item: Item): void {
    const queue = this.queueOf(endpoint);
    queue.lease(item);
    this.heads.place(queue);
  }

  remove(endpoint: string, item: Item): void {
    const queue = this.queues.get(endpoint);
    if (queue === undefined) return;
    queue.remove(item);
    this.putBack(queue);
  }

  /** The item that is free first; null if there is none. */
  peek(): Item | null {
    return this.heads.peek()?.head() ?? null;
  }

  /** Removes the queue with the first head if that is due. The caller must put it back. */
  draw(now: Instant): DueQueue<Item> | null {
    const queue = this.heads.peek();
    const head = queue?.head() ?? null;
    return head === null || head.due > now ? null : this.heads.pop();
  }

  putBack(queue: DueQueue<Item>): void {
    if (!queue.isEmpty) {
      this.heads.place(queue);
      return;
    }
    this.heads.remove(queue);
    this.queues.delete(queue.endpoint);
  }

  private queueOf(endpoint: string): DueQueue<Item> {
    const known = this.queues.get(endpoint);
    if (known !== undefined) return known;
    const queue = new DueQueue<Item>(endpoint);
    this.queues.set(endpoint, queue);
    return queue;
  }
}

function isHeadSooner<Item extends DueItem>(a: DueQueue<Item>, b: DueQueue<Item>): boolean {
  const left = a.head();
  const right = b.head();
  return left !== null && (right === null || isSooner(left, right));
}
