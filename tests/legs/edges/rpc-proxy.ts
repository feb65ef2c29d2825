import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a provider of RPCs misbehaves. */
export interface RpcMood {
  /** Answers nothing. */
  isSilent: boolean;
  /** Shows the chain as it was this many blocks ago. */
  lag: number;
  /** The maximum number of blocks of one request for logs; no limit at 0. */
  logsMax: number;
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}

type Request = (method: string, ...params: unknown[]) => Promise<unknown>;

/** An RPC provider between the legs and the chain node, over HTTP. */
export class RpcProxy {
  readonly mood: RpcMood = { isSilent: false, lag: 0, logsMax: 0 };
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  private constructor(private readonly node: Request) {}

  static async start(node: Request): Promise<RpcProxy> {
    const proxy = new RpcProxy(node);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    if (this.mood.isSilent) return void response.destroy();
    const body = JSON.parse(text) as Call | readonly Call[];
    const answers = await Promise.all(
      (Array.isArray(body) ? body : [body as Call]).map((call: Call) => this.#answer(call)),
    );
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  }

  async #answer({ id, method, params = [] }: Call): Promise<object> {
    const base = { jsonrpc: '2.0', id };
    try {
      if (method === 'eth_getLogs' && this.#isTooWide(params[0]))
        return { ...base, error: { code: -32_005, message: `Block range is limited to ${this.mood.logsMax}.` } };
      return { ...base, result: await this.node(method, ...(await this.#lagging(method, params))) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { ...base, error: { code: /revert/i.test(message) ? 3 : -32_000, message } };
    }
  }

  #isTooWide(filter: unknown): boolean {
    const { fromBlock, toBlock } = (filter ?? {}) as { readonly fromBlock?: string; readonly toBlock?: string };
    if (this.mood.logsMax === 0 || fromBlock === undefined || toBlock === undefined) return false;
    return Number(toBlock) - Number(fromBlock) + 1 > this.mood.logsMax;
  }

  /** Replaces the newest block by an older one. */
  async #lagging(method: string, params: readonly unknown[]): Promise<readonly unknown[]> {
    const readsLatest = params.at(-1) === 'latest' || (method === 'eth_getBlockByNumber' && params[0] === 'latest');
    if (this.mood.lag === 0 || !readsLatest) return params;
    const head = Number(await this.node('eth_blockNumber'));
    const old = `0x${Math.max(0, head - this.mood.lag).toString(16)}`;
    return params.map((param) => (param === 'latest' ? old : param));
  }
}
