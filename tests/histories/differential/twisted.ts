import type { Twist } from './command.js';
import type { Exchange } from './known.js';

/** The request with one fault. */
export function twisted(exchange: Exchange, twist: Twist): Exchange {
  const { headers, path } = exchange;
  switch (twist.kind) {
    case 'method':
      return { ...exchange, method: twist.method };
    case 'suffix':
      return { ...exchange, path: path.includes('?') ? path : path + twist.text };
    case 'query':
      return { ...exchange, path: `${path}${path.includes('?') ? '&' : '?'}${twist.text}` };
    case 'header':
      return { ...exchange, headers: { ...headers, [twist.name]: twist.value } };
    case 'bytes':
      return {
        ...exchange,
        body: Buffer.from(twist.hex, 'hex'),
        headers: { 'content-type': 'application/json', ...headers },
      };
    case 'blanks':
      return {
        ...exchange,
        body: Buffer.alloc(twist.size, ' '),
        headers: { 'content-type': 'application/json', ...headers },
      };
    case 'splice':
    case 'member':
      return exchange.body === null
        ? exchange
        : { ...exchange, body: Buffer.from(bent(Buffer.from(exchange.body).toString(), twist)) };
  }
}

function bent(text: string, twist: Extract<Twist, { kind: 'splice' | 'member' }>): string {
  if (twist.kind === 'member')
    return `${text.slice(0, -1)}${text === '{}' ? '' : ','}${JSON.stringify(twist.name)}:${twist.json}}`;
  const at = twist.at % (text.length + 1);
  return text.slice(0, at) + twist.text + text.slice(at + twist.length);
}
