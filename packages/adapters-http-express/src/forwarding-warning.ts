import type { Request } from 'express';

export type Warn = (message: string) => void;

/** Warns once: behind an untrusted proxy, all clients share the proxy's rate limits. */
export function forwardingWarning(warn: Warn): (request: Request) => void {
  let warned = false;
  return (request) => {
    if (warned || request.headers['x-forwarded-for'] === undefined || Boolean(request.app.get('trust proxy'))) return;
    warned = true;
    warn(
      'A request carries X-Forwarded-For, but Express\'s "trust proxy" is off: all clients behind the proxy share one rate limit. ' +
        'If the proxy is yours, set app.set("trust proxy", …) to its address or hop count.',
    );
  };
}
