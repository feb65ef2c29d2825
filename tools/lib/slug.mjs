/**
 * The anchor of a heading, in the spelling of GitHub.
 *
 * @param {string} heading its text, without links
 * @returns {string}
 */
export const slugOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
