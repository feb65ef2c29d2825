import type { RateRule, RateState } from '@gateramp/core/domain';

/** A window takes some 200 bytes: 20 MB at most, whatever addresses an attacker comes from. */
const WINDOWS_MAX = 100_000;

interface Window {
  hits: number;
  readonly endsAt: number;
}

/**
 * The windows of this process alone, for as long as Redis is away. The library's own memory limiter
 * has a timer for each key and no bound; here the older half gives way when there are too many. All
 * at once, as taking the first entry off a map again and again grows slow.
 */
export class LocalWindows {
  private recent = new Map<string, Window>();
  private older = new Map<string, Window>();

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly windowsMax: number = WINDOWS_MAX,
  ) {}

  hit(key: string, rule: RateRule): RateState {
    const now = this.now();
    const name = windowName(key, rule);
    const window = this.live(name, now) ?? this.open(name, now + rule.windowMs);
    window.hits += 1;
    return stateOf(rule, window, now);
  }

  peek(key: string, rule: RateRule): RateState {
    const now = this.now();
    const window = this.live(windowName(key, rule), now);
    if (window === null) return { rule, used: 0, resetMs: rule.windowMs };
    return stateOf(rule, window, now);
  }

  private live(name: string, now: number): Window | null {
    const window = this.recent.get(name) ?? this.older.get(name);
    return window === undefined || window.endsAt <= now ? null : window;
  }

  private open(name: string, endsAt: number): Window {
    if (this.recent.size >= this.windowsMax / 2) {
      this.older = this.recent;
      this.recent = new Map();
    }
    const window = { hits: 0, endsAt };
    this.recent.set(name, window);
    return window;
  }
}

/** Fractions of a millisecond do not add up exactly, and no window has more left than its whole. */
function stateOf(rule: RateRule, { hits, endsAt }: Window, now: number): RateState {
  return { rule, used: hits, resetMs: Math.min(rule.windowMs, Math.ceil(endsAt - now)) };
}

/** Rule names are ours and hold no line break, so no key can reach into another's window. */
function windowName(key: string, rule: RateRule): string {
  return `${rule.name}\n${key}`;
}
