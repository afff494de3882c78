/** Conflicts: if the file was changed by someone else, the user decides on each difference. */

import { choose } from "./dialogs.js";
import { wording } from "./mentions.js";

/** @typedef {import("./types.js").Entity} Entity */
/** @typedef {import("./session.js").Session} Session */
/** @typedef {{entity: Entity, note: string, isChecked: boolean}} Difference */

/**
 * Ask which entities to keep, and save them. Changes of only one side are preselected.
 * @param {Session} session
 * @param {import("./types.js").Text} current the current content of the file
 * @param {(label: string) => string} styleOf
 * @returns {Promise<boolean>} false if the changes on this page were discarded
 */
export async function resolveConflict(session, current, styleOf) {
  const mine = session.content;
  const theirs = session.take(current);
  const open = [
    ...differences(session, mine.entities, theirs.entities, "only here", "deleted in the file"),
    ...differences(session, theirs.entities, mine.entities, "only in the file", "deleted here"),
  ];
  // two types for the same words
  for (const [i, one] of open.entries())
    for (const other of open.slice(i + 1))
      if (one.isChecked && other.isChecked && session.hasSameWords(one.entity, other.entity))
        one.isChecked = other.isChecked = false;
  const kept = await choose({
    title: "This file was changed by someone else",
    text: () => `${session.id}: select the entities to keep. Entities that are the same on both sides are kept.`,
    confirm: "Keep the selected entities",
    cancel: "Discard my changes",
    choices: () =>
      open.map((difference) => ({
        ...difference,
        text: wording(difference.entity, session.text),
        label: difference.entity.label,
        style: styleOf(difference.entity.label),
      })),
  });
  if (!kept) {
    session.reload(current);
    return false;
  }
  const differing = new Set(open.map(({ entity }) => entity));
  const same = theirs.entities.filter((entity) => !differing.has(entity));
  const entities = [...same, ...kept.map(({ entity }) => entity)];
  // one of our ids may belong to another entity in the file now
  const taken = new Set(current.entities.map(({ id }) => id));
  for (const { key } of kept.map(({ entity }) => entity)) {
    if (!theirs.entities.some((e) => e.key === key) && taken.has(session.ids.get(key) ?? null))
      session.ids.delete(key);
  }
  session.merge(current, { entities, rejected: [...mine.rejected, ...theirs.rejected] });
  return true;
}

/**
 * @param {Session} session
 * @param {Entity[]} ours
 * @param {Entity[]} others
 * @param {string} isNew note on an entity that was created since the last save
 * @param {string} isGone note on an entity that the other side deleted
 * @returns {Difference[]} entities that the other side does not have
 */
function differences(session, ours, others, isNew, isGone) {
  const before = new Set(session.base.entities.map((e) => session.identity(e)));
  const known = new Set(others.map((e) => session.identity(e)));
  return ours
    .filter((entity) => !known.has(session.identity(entity)))
    .map((entity) => {
      const isChecked = !before.has(session.identity(entity));
      return { entity, note: isChecked ? isNew : isGone, isChecked };
    });
}
