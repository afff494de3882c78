/** A text in blocks that are drawn by themselves: a sentence, or a line of one. */

/** @typedef {import("./types.js").Range} Range */
/**
 * @typedef {object} Block
 * @property {number} start
 * @property {number} end
 * @property {Range[]} tokens
 * @property {boolean} isParagraph whether an empty line stands before it
 */

// what is drawn anew at a key press
const MOST_TOKENS = 200;

/**
 * @param {string} text
 * @param {Range[]} tokens those with letters
 * @param {Range[]} sentences
 * @returns {Block[]} they hold all tokens
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
 * @param {Range[]} ranges in order, none within another
 * @param {number} offset
 * @returns {number} the index of the one there, or of the one before; 0 if there is none
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
 * The words of a block as columns; where a fragment begins or ends within one, it is cut there.
 * @param {Block} block
 * @param {Range[]} fragments
 * @returns {Range[]} without the spaces after them
 */
export function columnsOf(block, fragments) {
  const cuts = new Set(fragments.flat());
  return block.tokens.flatMap(([start, end]) => {
    const inside = [...cuts].filter((cut) => start < cut && cut < end).sort((a, b) => a - b);
    const edges = [start, ...inside, end];
    return edges.slice(1).map((edge, i) => /** @type {Range} */ ([edges[i], edge]));
  });
}
