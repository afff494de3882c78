/** Converts between offsets of the server (code points) and of JavaScript (UTF-16 units). */

/** @typedef {import("./types.js").Range} Range */
/** @typedef {import("./types.js").Mention} Mention */

/** Converts the offsets of one text. */
export class Offsets {
  /** @param {string} text */
  constructor(text) {
    /** @type {Uint32Array | null} the unit at which each code point starts; null if they are the same */
    this.units = null;
    if (!/[\ud800-\udfff]/.test(text)) return;
    const units = [];
    for (let unit = 0; unit < text.length; unit += lengthAt(text, unit)) units.push(unit);
    this.units = Uint32Array.from([...units, text.length]);
  }

  /** @param {number} point @returns {number} */
  toUnit(point) {
    return this.units ? this.units[point] : point;
  }

  /** @param {number} unit @returns {number} */
  toPoint(unit) {
    if (!this.units) return unit;
    let low = 0;
    for (let high = this.units.length - 1; low < high;) {
      const middle = (low + high) >> 1;
      if (this.units[middle] < unit) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** @param {Range[]} ranges @returns {Range[]} */
  toUnits(ranges) {
    if (!this.units) return ranges;
    return ranges.map(([start, end]) => [this.toUnit(start), this.toUnit(end)]);
  }

  /** @param {Range[]} ranges @returns {Range[]} */
  toPoints(ranges) {
    if (!this.units) return ranges;
    return ranges.map(([start, end]) => [this.toPoint(start), this.toPoint(end)]);
  }
}

/**
 * @param {string} text
 * @param {number} unit
 * @returns {number} number of units of the character
 */
export function lengthAt(text, unit) {
  return (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
}
