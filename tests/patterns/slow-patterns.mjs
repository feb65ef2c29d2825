// Reads patterns as JSON, and prints for each the text that makes it slow, or null. A process of its own: its processor time is that of the
// patterns alone, and stands still while the machine is paused.
import { createContext, Script } from 'node:vm';
import { text as textOf } from 'node:stream/consumers';

/** What a request can contain, and more. */
const LENGTH = 60_000;
/** Of the text that shows how the time grows. */
const SHORTER = LENGTH / 8;
/** Long enough for a pattern that takes exponential time. */
const SHORTEST = 30;
/** Processor time below which nothing can be said about growth. A pattern in linear time needs a hundredth of it. */
const NOTICEABLE_MS = 15;
/** Between linear growth (1) and quadratic growth (2). */
const EXPONENT_MAX = 1.6;
/** Processor time after which a match is given up. */
const GIVEN_UP_MS = 1_500;
const TRIES = 3;

const ALWAYS = [' ', '\t', '\n', 'a', '0', '"', '-', '.', '/', '=', ';', ','];
/** The second one ends no match that a pattern could want. */
const ENDS = ['', '\u0000'];
const LITERALS_MAX = 8;
/** How many characters of a pattern are paired with each other; the first argument. */
const PAIRED_MAX = Number(process.argv[2] ?? 10);

/** Long runs of what the pattern mentions: its characters, pairs of them, and its words, alone and before each. */
function hostileTexts(source) {
  const own = charactersOf(source);
  const all = [...new Set([...own, ...ALWAYS])];
  const paired = own.slice(0, PAIRED_MAX);
  const words = wordsOf(source);
  const units = new Set([
    ...all,
    ...paired.flatMap((one) => paired.map((other) => one + other)),
    ...words.flatMap((word) => [word, ...all.map((character) => word + character)]),
  ]);
  return [
    ...[...units].flatMap((unit) => ENDS.map((end) => (length) => repeated(unit, length) + end)),
    ...words.flatMap((word) => all.map((one) => (length) => `${word}${repeated(one, length)}\u0000`)),
  ];
}

function repeated(unit, length) {
  return unit.repeat(Math.ceil(length / unit.length));
}

/** One character of each kind that the pattern can match. */
function charactersOf(source) {
  const classes = { s: ' ', d: '7', w: 'b', W: '!', S: 'c', D: 'd' };
  const found = source
    .match(/\\?[^]/gu)
    ?.map((one) => (one.startsWith('\\') ? (classes[one.slice(1)] ?? one.slice(1)) : one));
  return [...new Set(found)];
}

/** The words of the pattern, such as `Bearer`. */
function wordsOf(source) {
  const plain = source.replaceAll(/\\([^A-Za-z0-9])/g, '$1').replaceAll(/\\[A-Za-z]/g, ' ');
  return [...new Set(plain.split(/[^A-Za-z0-9_:/." <&-]/).filter((word) => word.length > 1))].slice(0, LITERALS_MAX);
}

function slowTextFor(pattern) {
  for (const hostile of hostileTexts(pattern.source)) {
    if (isSlow(pattern, hostile)) return `${JSON.stringify(hostile(2 * SHORTEST))} and so on`;
  }
  return null;
}

function isSlow(pattern, hostile) {
  if (costOf(pattern, hostile(SHORTEST)) >= GIVEN_UP_MS) return true;
  const cost = leastCost(pattern, hostile(LENGTH));
  if (cost <= NOTICEABLE_MS || cost >= GIVEN_UP_MS) return cost >= GIVEN_UP_MS;
  return cost > leastCost(pattern, hostile(SHORTER)) * (LENGTH / SHORTER) ** EXPONENT_MAX;
}

/** What other work of the machine adds to one of several tries is left out. */
function leastCost(pattern, text) {
  let cost = costOf(pattern, text);
  for (let more = 1; more < TRIES && cost > NOTICEABLE_MS && cost < GIVEN_UP_MS; more += 1)
    cost = Math.min(cost, costOf(pattern, text));
  return cost;
}

const MATCH = new Script(`applied === 'all' ? text.replace(pattern, '') : pattern.exec(text)`);
const scope = createContext({});

function costOf({ source, flags, applied }, text) {
  const isGlobal = applied === 'all' && !flags.includes('g');
  Object.assign(scope, { pattern: new RegExp(source, isGlobal ? `${flags}g` : flags), text, applied });
  for (;;) {
    const began = process.cpuUsage();
    const isDone = ends(() => MATCH.runInContext(scope, { timeout: GIVEN_UP_MS }));
    const { user, system } = process.cpuUsage(began);
    const cost = (user + system) / 1_000;
    if (isDone) return cost;
    if (cost >= GIVEN_UP_MS / 2) return Math.max(cost, GIVEN_UP_MS);
  }
}

function ends(work) {
  try {
    work();
    return true;
  } catch (error) {
    if (error?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}

const known = new Map();

/** Many files have the same pattern. */
function slowTextOnce(pattern) {
  const { source, flags, applied } = pattern;
  const name = `${applied}/${flags}/${source}`;
  if (!known.has(name)) known.set(name, slowTextFor(pattern));
  return known.get(name);
}

const patterns = JSON.parse(await textOf(process.stdin));
process.stdout.write(JSON.stringify(patterns.map(slowTextOnce)));
