/** Splits a text into blocks that are drawn separately: sentences, or lines of sentences. */

/** @typedef {import("./types.js").Range} Range */
/**
 * @typedef {object} Block
 * @property {number} start
 * @property {number} end
 * @property {Range[]} tokens
 * @property {boolean} isParagraph whether an empty line precedes it
 */

// limits what is redrawn for each key
const MOST_TOKENS = 200;

/**
 * @param {string} text
 * @param {Range[]} tokens without whitespace tokens
 * @param {Range[]} sentences
 * @returns {Block[]} the blocks, which contain all tokens
 */
export function makeBlocks(text, tokens, sentences) {
  const starts = new Set(sentences.map(([start]) => start));
  let limit = -1;
  /** @type {Block[]} */
  const blocks = [];
  tokens.forEach((token, i) => {
    const before = text.slice(i ? tokens[i - 1][1] : 0, token[0]);
    const block = blocks.at(-1);
    // a sentence may begin at the space before its first word
    const begins =
      before.includes("\n") || starts.has(token[0]) || starts.has(token[0] - before.length);
    if (block && !begins && i < limit) {
      block.tokens.push(token);
      block.end = token[1];
      return;
    }
    limit = i + MOST_TOKENS;
    const lines = before.split("\n").length - 1;
    const indent = lines || !i ? before.length - before.lastIndexOf("\n") - 1 : 0;
    blocks.push({
      start: token[0] - indent,
      end: token[1],
      tokens: [token],
      isParagraph: lines > 1,
    });
  });
  return blocks;
}

/**
 * @param {Range[]} ranges sorted ranges that are not nested
 * @param {number} offset
 * @returns {number} the index of the last range that starts at or before the offset, or 0
 */
export function indexAt(ranges, offset) {
  let low = 0;
  let high = ranges.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ranges[middle][0] <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Get the columns of a block: its words, which are split where a fragment starts or ends.
 * @param {Block} block
 * @param {Range[]} fragments
 * @returns {Range[]} the columns without whitespace
 */
export function columnsOf(block, fragments) {
  const cuts = new Set(fragments.flat());
  return block.tokens.flatMap(([start, end]) => {
    const inside = [...cuts].filter((cut) => start < cut && cut < end).sort((a, b) => a - b);
    const edges = [start, ...inside, end];
    return edges.slice(1).map((edge, i) => /** @type {Range} */ ([edges[i], edge]));
  });
}
