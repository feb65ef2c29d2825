import type { RateRule, RateState } from '@gateramp/core/domain';

/** A window takes about 200 bytes: 20 MB at most, however many addresses an attacker uses. */
const WINDOWS_MAX = 100_000;

interface Window {
  hits: number;
  readonly endsAt: number;
}

/**
 * The windows of this process, used while Redis is unavailable. The library's own memory limiter has a timer for each key and no bound;
 * this one drops the older half when there are too many. In a single step, since repeatedly removing the first entry of a map becomes slow.
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

/** Rounded up and capped, since fractions of a millisecond do not add up exactly. */
function stateOf(rule: RateRule, { hits, endsAt }: Window, now: number): RateState {
  return { rule, used: hits, resetMs: Math.min(rule.windowMs, Math.ceil(endsAt - now)) };
}

/** Rule names are defined by the gate and contain no line break, so a key cannot collide with another rule's window. */
function windowName(key: string, rule: RateRule): string {
  return `${rule.name}\n${key}`;
}
