import { afterEach, describe, expect, it, vi } from 'vitest';
import { Gate, type AttemptResult, type GateOptions, type LogLevel, type RequestAttempt } from '../../src/index.js';

const KEY = 'sk_test_gateramp_tests_secret_key';
const ORDER = { amount: '123.45', currency: 'EUR', return_url: 'https://shop.example/' };
const URL_OF_LIST = 'https://sandbox.gateramp.example/v1/gate_sessions';

const answered =
  (status: number, id: string, body: object = { data: [] }, headers: Record<string, string> = {}) =>
  () =>
    Response.json(body, { status, headers: { 'x-request-id': id, ...headers } });
const away = (): Response => {
  throw new TypeError('fetch failed');
};

afterEach(() => void vi.restoreAllMocks());

/** A gate whose attempts get these answers, and the number of attempts. Retries do not wait. */
function gateWith(answers: readonly (() => Response)[], options: GateOptions) {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const left = [...answers];
  const fetch = vi.fn<typeof globalThis.fetch>(async () => left.shift()?.() ?? Response.error());
  return { gate: new Gate(KEY, { fetch, ...options }), fetch };
}

function observed() {
  const requests: RequestAttempt[] = [];
  const results: AttemptResult[] = [];
  const options = {
    onRequest: (attempt: RequestAttempt) => void requests.push(attempt),
    onResponse: (result: AttemptResult) => void results.push(result),
  };
  return { requests, results, options };
}

/** A logger that keeps its lines, without their durations. */
function kept() {
  const lines: string[] = [];
  const keep = (level: string) => (message: string) =>
    void lines.push(`${level} ${message.replace(/in \d+ ms \(/, 'in 0 ms (')}`);
  return { lines, logger: { error: keep('error'), warn: keep('warn'), info: keep('info'), debug: keep('debug') } };
}

describe('hooks', () => {
  it('get each attempt: its method, address, number, status, request id, duration, and the wait after it', async () => {
    const { requests, results, options } = observed();
    const limited = answered(
      429,
      'req_2',
      { code: 'rate_limit_exceeded', message: 'Wait.' },
      { 'retry-after-short': '0' },
    );
    const { gate } = gateWith([away, limited, answered(200, 'req_3')], options);
    await gate.gateSessions.list({ user_reference: 'ada@shop.example' });
    const about = { method: 'GET', url: URL_OF_LIST };
    const durationMs = expect.any(Number);
    expect(requests).toEqual([1, 2, 3].map((attempt) => ({ ...about, attempt })));
    expect(results).toEqual([
      {
        ...about,
        attempt: 1,
        status: null,
        requestId: null,
        errorCode: 'connection_error',
        retryDelayMs: 0,
        durationMs,
      },
      {
        ...about,
        attempt: 2,
        status: 429,
        requestId: 'req_2',
        errorCode: 'rate_limit_exceeded',
        retryDelayMs: 0,
        durationMs,
      },
      { ...about, attempt: 3, status: 200, requestId: 'req_3', errorCode: null, retryDelayMs: null, durationMs },
    ]);
    for (const result of results) expect(result.durationMs).toBeGreaterThanOrEqual(0);
  });

  it('get a result for an attempt that its caller aborts, and nothing for a call that was aborted before', async () => {
    const { requests, results, options } = observed();
    const caller = new AbortController();
    const leave = (): Response => {
      caller.abort(new Error('The user has left.'));
      return away();
    };
    const { gate } = gateWith([leave], options);
    for (let call = 0; call < 2; call += 1)
      await expect(gate.gateSessions.list({}, { signal: caller.signal })).rejects.toThrow('The user has left.');
    expect(requests).toHaveLength(1);
    expect(results).toMatchObject([{ status: null, errorCode: 'aborted', retryDelayMs: null }]);
  });

  it('and log lines contain no key, header, body or query', async () => {
    const { requests, results, options } = observed();
    const { lines, logger } = kept();
    const refused = { code: 'validation_failed', message: 'No amount of 123.45.' };
    const answers = [
      answered(200, 'req_1'),
      answered(201, 'req_2', { client_secret: 'gsec_1' }),
      answered(400, 'req_3', refused),
    ];
    const { gate } = gateWith(answers, { ...options, logger, logLevel: 'debug' });
    await gate.gateSessions.list({ user_reference: 'ada@shop.example' });
    await gate.gateSessions.create(ORDER, { idempotencyKey: 'order-1', headers: { 'x-own': 'own-value' } });
    await expect(gate.gateSessions.create(ORDER)).rejects.toThrow('No amount');
    expect([requests.length, results.length, lines.length]).toEqual([3, 3, 6]);
    const told = JSON.stringify([requests, results, lines]);
    expect(told).not.toMatch(/tests_secret|gsec_1|123\.45|own-value|order-1|ada|Bearer|authorization/i);
  });

  it.each<[string, () => unknown]>([
    [
      'throw',
      () => {
        throw new Error('No hook today');
      },
    ],
    [
      'reject',
      async () => {
        throw new Error('No hook today');
      },
    ],
    [
      'throw what has no text',
      () => {
        throw Object.create(null);
      },
    ],
    ['never end', () => new Promise(() => undefined)],
  ])('that %s neither break nor repeat a call', async (_, hook) => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const { lines, logger } = kept();
    const { gate, fetch } = gateWith([answered(503, 'req_1'), answered(201, 'req_2', { id: 'a' })], {
      onRequest: hook,
      onResponse: hook,
      logger,
    });
    expect(await gate.gateSessions.create(ORDER)).toEqual({ id: 'a' });
    await new Promise(setImmediate);
    process.off('unhandledRejection', unhandled);
    expect(fetch).toHaveBeenCalledTimes(2);
    expect(unhandled).not.toHaveBeenCalled();
    for (const line of lines)
      expect(line).toMatch(/^error on(Request|Response) of a Gate failed: Error: No hook today/);
  });

  it('that throw are logged, by default on the console', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue();
    const fails = (): never => {
      throw new Error('No hook today');
    };
    const { gate } = gateWith([answered(200, 'req_1')], { onRequest: fails });
    await gate.gateSessions.list();
    expect(error.mock.calls).toEqual([[expect.stringContaining('onRequest of a Gate failed: Error: No hook today')]]);
  });

  it('cannot change the request or the result', async () => {
    const change = (about: object): void =>
      void Object.assign(about, { url: 'https://elsewhere.example/', attempt: 9 });
    const { gate, fetch } = gateWith([away, answered(200, 'req_1')], { onRequest: change, onResponse: change });
    await gate.gateSessions.list();
    expect(fetch.mock.calls.map(([url]) => url)).toEqual([URL_OF_LIST, URL_OF_LIST]);
  });
});

describe('the logger', () => {
  const LINES = {
    start: `debug GET ${URL_OF_LIST}: attempt 1`,
    failed: `warn GET ${URL_OF_LIST}: 503 api_error in 0 ms (attempt 1, req_1), next attempt in 0 ms`,
    again: `debug GET ${URL_OF_LIST}: attempt 2`,
    succeeded: `info GET ${URL_OF_LIST}: 200 in 0 ms (attempt 2, req_2)`,
  };

  it.each<[LogLevel | undefined, readonly string[]]>([
    ['debug', [LINES.start, LINES.failed, LINES.again, LINES.succeeded]],
    ['info', [LINES.failed, LINES.succeeded]],
    ['warn', [LINES.failed]],
    ['error', []],
    ['off', []],
    [undefined, []],
  ])('writes the lines of the level %s', async (logLevel, expected) => {
    const { lines, logger } = kept();
    const { gate } = gateWith([answered(503, 'req_1', {}), answered(200, 'req_2')], { logger, logLevel });
    await gate.gateSessions.list();
    expect(lines).toEqual(expected);
  });

  it('keeps its own receiver, and may fail', async () => {
    class Own {
      readonly lines: string[] = [];
      info(line: string): void {
        this.lines.push(line);
        throw new Error('The disk is full.');
      }
      error = this.info;
      warn = this.info;
      debug = this.info;
    }
    const logger = new Own();
    const { gate, fetch } = gateWith([answered(200, 'req_1')], { logger, logLevel: 'debug' });
    await gate.gateSessions.list();
    expect(logger.lines).toHaveLength(2);
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it('is not made with a level that does not exist', () => {
    const options = { logLevel: 'verbose' as LogLevel };
    expect(() => new Gate(KEY, options)).toThrow(/logLevel must be one of off, error, warn, info, debug; got verbose/);
  });
});
