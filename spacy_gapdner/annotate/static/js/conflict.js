/** Somebody else changed the file: where the two contents differ, choose for each entity. */

import { choose } from "./dialogs.js";
import { wording } from "./mentions.js";

/** @typedef {import("./types.js").Entity} Entity */
/** @typedef {import("./session.js").Session} Session */
/** @typedef {{entity: Entity, note: string, isTicked: boolean}} Difference */

/**
 * Ask what is to stay, and save it. What one side alone changed is ticked as that side has it.
 * @param {Session} session
 * @param {import("./types.js").Text} current what the file holds now
 * @param {(label: string) => string} styleOf
 */
export async function settleConflict(session, current, styleOf) {
  const mine = session.content;
  const theirs = session.take(current);
  const open = [
    ...differences(session, mine.entities, theirs.entities, "only here", "deleted in the file"),
    ...differences(session, theirs.entities, mine.entities, "only in the file", "deleted here"),
  ];
  const ticked = await choose({
    title: "Somebody else changed this file",
    text: `${session.id}: what is ticked stays, together with all that is the same on both sides.`,
    take: "Keep what is ticked",
    refuse: "Take the file as it is",
    choices: open.map(({ entity, note, isTicked }) => ({
      text: wording(entity, session.text),
      label: entity.label,
      style: styleOf(entity.label),
      note,
      isTicked,
    })),
  });
  if (!ticked) return session.reload(current);
  const kept = open.filter((_, i) => ticked[i]).map(({ entity }) => entity);
  const differing = new Set(open.map(({ entity }) => entity));
  const entities = [...theirs.entities.filter((entity) => !differing.has(entity)), ...kept];
  // an id of ours may stand for something else in the file by now
  const taken = new Set(current.entities.map(({ id }) => id));
  for (const { key } of kept) {
    if (!theirs.entities.some((e) => e.key === key) && taken.has(session.ids.get(key) ?? null))
      session.ids.delete(key);
  }
  session.merge(current, { entities, rejected: [...mine.rejected, ...theirs.rejected] });
}

/**
 * @param {Session} session
 * @param {Entity[]} ours
 * @param {Entity[]} others
 * @param {string} isNew what is said of one that was made since the last save
 * @param {string} isGone and of one that the other side deleted
 * @returns {Difference[]} those that the others do not have
 */
function differences(session, ours, others, isNew, isGone) {
  const before = new Set(session.base.entities.map((e) => session.identity(e)));
  const known = new Set(others.map((e) => session.identity(e)));
  return ours
    .filter((entity) => !known.has(session.identity(entity)))
    .map((entity) => {
      const isTicked = !before.has(session.identity(entity));
      return { entity, note: isTicked ? isNew : isGone, isTicked };
    });
}
