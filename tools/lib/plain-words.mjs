import { extname } from 'node:path';

/**
 * Turns of phrase that plain professional English does not use, and what to write instead. A line that needs one (a quotation, the name of
 * other software) says why: `plain-words: <reason>` anywhere in it.
 *
 * @type {ReadonlyArray<readonly [pattern: RegExp, suggestion: string]>}
 */
export const QUAINT = [
  [/\b(?:whoever|whomever)\b/i, 'name the actor: "the caller", "a process that …"'],
  [/\b(?:somebody|anybody|everybody|nobody)\b/i, 'name who: "another process", "no caller", "all clients"'],
  [/(?<!\bthere )\b(?:is|are) none\b/, '"is not a …", "does not exist"'],
  [/\bstands?\b(?! (?:for|in|still|alone)\b)/i, '"is", "applies", "remains"'],
  [/\bstood\b(?! (?:for|in|still|alone)\b)/i, '"was", "remained"'],
  [/\b(?:hears?|heard) of\b/i, '"learns about", "is notified"'],
  [/\b(?:is|are|was|were|be|been) told\b/i, '"receives", "is notified", "is passed"'],
  [/\b(?:anew|afresh)\b/i, '"again", "new"'],
  [/\bbeside\b/i, '"next to", "alongside", "in addition to"'],
  [/\b(?:comes|came|becomes|became|become) of\b/i, '"the result of", "what happens to"'],
  [/\bgood for nothing\b/i, '"cannot be used"'],
  [/\blive through\b/i, '"simulate", "go through"'],
  [/\b(?:mend|mends|mended)\b/i, '"fix", "repair"'],
  [/\bnonsense\b/i, '"invalid", "malformed"'],
  [/\b(?:vouch|vouches|vouched)\b/i, '"verify", "verified by"'],
  [/\b(?:that|this|which) is no (?!longer|more)[a-z]+/i, '"is not a …"'],
  [/\bin vain\b/i, '"without success"'],
  [/\b(?:of late|for keeps|as ever|at leisure)\b/i, '"recently", "permanently", "still"'],
  [/\b(?:lest|whereby|thereby|upon|ought|aught)\b/i, '"so that … not", "by which", "on", "should"'],
  [/\bSay (?:which|what|so)\b/, '"Pass …", "Set …"'],
  [/(?:^|[.:;] )(?:as )?one may\b/i, '"you can", "it is allowed to"'],
  [/\bcut short\b/i, '"interrupted"'],
  [/\btaken? back\b/i, '"undone", "rolled back"'],
];

/** Hits per 1,000 words of comments, documents, strings and test titles. Lower it after a clean-up; never raise it. */
export const HITS_PER_THOUSAND_MAX = 0.3;

const CODE = new Set(['.ts', '.tsx', '.js', '.mjs', '.cjs', '.py', '.sql', '.sh', '.css', '.yaml', '.yml', '.toml']);
/** Generated or recorded text. */
const EXCLUDED =
  /(^|\/)generated\/|^spec\/|^package-lock\.json$|LICENSE$|^tools\/(?:lib\/plain-words\.mjs|test\/plain-words\.test\.ts)$/;
const STRING_OR_COMMENT =
  /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\\n]|\\.)*`|(?:^|\s)(?:\/\/|#|--)\s.*$|\/\*.*?(?:\*\/|$)/g;
const WHOLE_LINE = /^\s*(?:\/\/|\/?\*|#|--|""")/;

/**
 * The English text of a file: a document outside its code blocks, and the comments and one-line strings of code.
 *
 * @param {{ path: string, text: string }} file
 */
export function proseIn({ path, text }) {
  const kind = extname(path);
  if (EXCLUDED.test(path) || (kind !== '.md' && !CODE.has(kind))) return [];
  let isInside = false;
  return text.split('\n').map((line) => {
    const fences = kind === '.md' ? /^\s*```/.test(line) : kind === '.py' && (line.match(/"""/g) ?? []).length === 1;
    const wasInside = isInside;
    if (fences) isInside = !isInside;
    if (kind === '.md') return wasInside || fences ? '' : line;
    if (wasInside || WHOLE_LINE.test(line)) return line;
    return (line.match(STRING_OR_COMMENT) ?? []).filter((part) => /\S\s+\S/.test(part)).join(' ');
  });
}

/** @param {ReadonlyArray<{ path: string, text: string }>} files */
export function measureWords(files) {
  let words = 0;
  const hits = [];
  for (const file of files)
    proseIn(file).forEach((line, index) => {
      words += line.match(/\p{L}{2,}/gu)?.length ?? 0;
      if (/\bplain-words: \S+ \S+/.test(line)) return;
      for (const [pattern, suggestion] of QUAINT) {
        const found = pattern.exec(line);
        if (found !== null) hits.push({ path: file.path, line: index + 1, found: found[0], suggestion });
      }
    });
  return { words, hits, rate: words === 0 ? 0 : (hits.length * 1000) / words };
}

const SUBJECT_MAX = 72;
const SUBJECT = /^[a-z0-9][a-z0-9./-]*: \S/;

/** The problems of the first line of a commit message. */
export function subjectFaults(subject) {
  return [
    ...(subject.length > SUBJECT_MAX
      ? [`the subject has ${subject.length} characters; the limit is ${SUBJECT_MAX}`]
      : []),
    ...(SUBJECT.test(subject) ? [] : ['the subject must be "area: imperative summary"']),
    ...QUAINT.filter(([pattern]) => pattern.test(subject)).map(([, suggestion]) => `plain English: ${suggestion}`),
  ];
}
