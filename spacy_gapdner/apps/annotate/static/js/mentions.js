/** Functions on the fragments of entities. */

/** @typedef {import("./types.js").Range} Range */
/** @typedef {import("./types.js").Mention} Mention */

/** @param {Range[]} fragments @returns {Range[]} from left to right */
export function inOrder(fragments) {
  return [...fragments].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

/** @param {Mention} mention @returns {Range} from its first to its last character */
export function extent({ fragments }) {
  return [Math.min(...fragments.map((f) => f[0])), Math.max(...fragments.map((f) => f[1]))];
}

/**
 * Sort fragments, and join fragments that are separated only by whitespace.
 * @param {Range[]} fragments
 * @param {string} text
 * @returns {Range[]}
 */
export function joined(fragments, text) {
  /** @type {Range[]} */
  const result = [];
  for (const [start, end] of inOrder(fragments)) {
    const last = result.at(-1);
    if (last && !text.slice(last[1], start).trim()) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

/**
 * @param {Mention} mention
 * @param {string} text
 * @returns {string} a key that is equal for the same entities
 */
export function identity(mention, text) {
  return JSON.stringify([mention.label, joined(mention.fragments, text)]);
}

/**
 * Add a range as the last fragment, and merge it with overlapping fragments. Adjacent fragments remain
 * separate, so that "severe" and "joint, shoulder and back" can be combined.
 * @param {Range[]} fragments
 * @param {Range} range
 * @returns {Range[]}
 */
export function added(fragments, range) {
  const overlapped = fragments.filter((f) => f[0] < range[1] && range[0] < f[1]);
  const all = [...overlapped, range];
  const whole = extent({ label: "", fragments: all });
  return [...fragments.filter((f) => !overlapped.includes(f)), whole];
}

/**
 * @param {Range[]} fragments
 * @param {Range} range
 * @param {string} text
 * @returns {Range[]} the fragments without the range, and without whitespace at their edges
 */
export function without(fragments, range, text) {
  return fragments.flatMap(([start, end]) => {
    if (end <= range[0] || range[1] <= start) return [/** @type {Range} */ ([start, end])];
    return [trimmed([start, range[0]], text), trimmed([range[1], end], text)].filter(
      (rest) => rest[0] < rest[1],
    );
  });
}

/** @param {Range[]} fragments @param {Range} range @returns {boolean} whether a fragment contains the range */
export function covers(fragments, range) {
  return fragments.some((f) => f[0] <= range[0] && range[1] <= f[1]);
}

/** @param {Mention} a @param {Mention} b @returns {boolean} whether the two contradict each other */
export function isRival(a, b) {
  const isIn = a.fragments.every((f) => covers(b.fragments, f));
  const holds = b.fragments.every((f) => covers(a.fragments, f));
  if (a.label !== b.label) return isIn && holds;
  const [first, ...others] = [...a.fragments, ...b.fragments].sort((f, g) => f[0] - g[0]);
  // entities that share words of a coordination do not contradict each other
  const isShifted = others.length === 1 && others[0][0] < first[1];
  return isIn || holds || isShifted;
}

/** @param {Range} range @param {string} text @returns {Range} the range without whitespace at its edges */
export function trimmed([start, end], text) {
  while (start < end && !text[start].trim()) start += 1;
  while (start < end && !text[end - 1].trim()) end -= 1;
  return [start, end];
}

/** @param {Mention} mention @param {string} text @returns {string} "severe … pain" */
export function wording(mention, text) {
  const parts = joined(mention.fragments, text).map(([start, end]) => text.slice(start, end));
  return parts.join(" … ").replace(/\s+/g, " ");
}
