/** The set of rendered groups: those near the viewport and the ones that left it last. */
export interface DrawnGroups {
  /** Records that a group is near the viewport; returns the groups to replace by placeholders. */
  come(from: number): readonly number[];
  /** Records that a group has left the viewport; it stays rendered until others need the space. */
  leave(from: number): void;
}

/** Maximum number of rendered groups: scrolling back stays cheap, and memory use stays low on phones. */
const MAX_DRAWN = 24;

/** Creates an empty set that holds at most `maxDrawn` groups, unless more are near the viewport. */
export function createDrawnGroups(maxDrawn = MAX_DRAWN): DrawnGroups {
  /** In order from the least recently visible group; true for groups near the viewport. */
  const drawn = new Map<number, boolean>();
  return {
    come(from) {
      drawn.delete(from);
      drawn.set(from, true);
      const away = [...drawn].filter(([, isNear]) => !isNear).map(([group]) => group);
      const dropped = away.slice(0, Math.max(0, drawn.size - maxDrawn));
      for (const group of dropped) drawn.delete(group);
      return dropped;
    },
    leave(from) {
      if (!drawn.delete(from)) return;
      drawn.set(from, false);
    },
  };
}
