/**
 * The types that modules share. Offsets on the page are UTF-16 units, offsets of the server are code
 * points. They are converted when texts are loaded and saved (`offsets.js`).
 *
 * @typedef {[number, number]} Range start, and end (exclusive)
 * @typedef {{label: string, fragments: Range[]}} Mention
 * @typedef {Mention & {key: number}} Entity
 * @typedef {Mention & {key: number, score: number | null, source: string}} Proposal
 * @typedef {{entities: Entity[], rejected: Mention[], status: Status}} Content the state for undo and redo
 * @typedef {"new" | "done" | "skipped" | "doubtful"} Status
 *
 * @typedef {{name: string, color: string, key: string | null, description: string}} Label
 * @typedef {object} Project
 * @property {string} name
 * @property {string} annotator
 * @property {boolean} shared whether several annotators share the folder
 * @property {Label[]} labels
 * @property {string[]} orders
 * @property {string} order
 * @property {string} writes
 *
 * @typedef {{id: string, begin: string, status: Status, score: number | null}} Listed with the first words
 * @typedef {Mention & {id: string | null, notes: string[], warnings: string[]}} SavedEntity
 * @typedef {object} Text as sent by the server
 * @property {string} id
 * @property {string} text
 * @property {string} version
 * @property {Status} status
 * @property {Range[]} tokens
 * @property {Range[]} sentences
 * @property {SavedEntity[]} entities
 * @property {Mention[]} rejected
 * @property {number} n_hidden entities of the file that cannot be shown
 *
 * @typedef {object} Body as sent to the server
 * @property {string} version
 * @property {(Mention & {id: string | null})[]} entities
 * @property {Status} status
 * @property {Mention[]} rejected
 *
 * @typedef {{version: string, entities: SavedEntity[], removed: string[]}} Answer
 * @typedef {Mention & {score: number | null, source: string}} Proposed
 * @typedef {{words: string, label: string, skipped: string}} EqualWords
 * @typedef {object} Progress
 * @property {number} done
 * @property {number} total
 * @property {string | null} model its name and score
 * @property {number} model_version
 * @property {boolean} has_previous whether the model before the last training can be used again
 * @property {{state: "none" | "running" | "failed", texts: number, message: string}} training
 * @property {string} requirement what training still needs, or an empty string
 * @property {number | null} retrain_after
 * @property {number} done_since
 */
export {};
