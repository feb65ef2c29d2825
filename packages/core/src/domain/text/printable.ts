const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const UNPRINTABLE_ALL = new RegExp(UNPRINTABLE, 'gu');

/** Whether the text has a control or format character, such as an escape sequence, line break or change of writing direction. */
export function hasUnprintable(text: string): boolean {
  return UNPRINTABLE.test(text);
}

/**
 * Replaces control and format characters with escapes such as `\u001b`, so that a terminal shows them instead of interpreting them. Inside
 * JSON this does not change the value.
 */
export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE_ALL, escaped);
}

/** One escape per UTF-16 unit, as JSON requires for characters outside the basic plane. */
function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** What is drawn as nothing: blanks, control and format characters, fillers and selectors. */
const INVISIBLE = /[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800\u{1D159}]/gu;

/** Whether nothing of the text can be seen. */
export function isBlank(text: string): boolean {
  return text.replace(INVISIBLE, '').replace(/\p{M}/gu, '') === '';
}

/** Letters of other scripts that are drawn like Latin ones, in the case in which they are. */
const DRAWN_AS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['a', 'аαΑАɑ'],
    ['b', 'вВβΒЬь'],
    ['c', 'сСϲϹ'],
    ['d', 'ԁԀđ'],
    ['e', 'еЕεΕёЁ'],
    ['g', 'ɡ'],
    ['h', 'һнНΗհ'],
    ['i', '1|lLіІιΙӏӀıłŁ'],
    ['j', 'јЈ'],
    ['k', 'кКκΚ'],
    ['m', 'мМΜ'],
    ['n', 'ηΝոռ'],
    ['o', '0оОοΟօσøØ'],
    ['p', 'рРρΡ'],
    ['q', 'ԛԚ'],
    ['s', 'ѕЅ'],
    ['t', 'тТτΤ'],
    ['u', 'υμս'],
    ['v', 'νѵѴ'],
    ['w', 'ԝԜω'],
    ['x', 'хХχΧ'],
    ['y', 'уУγΥү'],
    ['z', 'ΖζᴢƵ'],
    ['-', '‐‑‒–—−'],
    ["'", '’‘ʼ`´'],
  ].flatMap(([latin = '', others = '']) => Array.from(others, (one) => [one, latin])),
);

/** The same for two texts that a person can take for each other: without case, accents, blanks and anything invisible. */
export function lookAlike(text: string): string {
  const plain = text.normalize('NFKC').replace(INVISIBLE, '');
  const latin = (given: string): string => Array.from(given, (one) => DRAWN_AS[one] ?? one).join('');
  const bare = latin(
    latin(plain)
      .normalize('NFD')
      .replaceAll(/[\u0300-\u036f]/g, ''),
  );
  return latin(bare.toLowerCase());
}
