/** The demo partner's own server as far as it calls Gateramp: with its secret key, over HTTP like anybody. */
export interface DemoShop {
  /** Creates a session and lets a test buyer pay for it. Throws with the API's own words when that is refused. */
  sell(): Promise<{ readonly session_id: string; readonly status: string }>;
}

const CALL_TIMEOUT_MS = 10_000;

export function demoShop(apiOrigin: string, secretKey: string, ownOrigin: string): DemoShop {
  async function post(path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
    const response = await fetch(`${apiOrigin}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secretKey}`,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    });
    // Every answer of the API is a JSON object.
    const answer = (await response.json()) as Readonly<Record<string, unknown>>;
    if (!response.ok) throw new Error(`${String(answer['code'])}: ${String(answer['message'])}`);
    return answer;
  }

  return {
    sell: async () => {
      const session = await post('/v1/gate_sessions', {
        amount: '100.00',
        currency: 'EUR',
        return_url: `${ownOrigin}/`,
      });
      const sessionId = String(session['id']);
      const intent = await post(`/v1/test_helpers/gate_sessions/${sessionId}/simulate`, { scenario: 'succeed' });
      return { session_id: sessionId, status: String(intent['status']) };
    },
  };
}
