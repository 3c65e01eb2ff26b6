/** Which groups of a conversation are drawn: those in sight, near it, and those that were last. */
export interface DrawnGroups {
  /** It is in sight, or near: answers the groups that have to make room for it. */
  come(from: number): readonly number[];
  /** It is far away: it may stay until others need the room. */
  leave(from: number): void;
}

/** As many stay drawn: back and forth costs nothing, and a phone keeps its memory. */
const MAX_DRAWN = 24;

export function createDrawnGroups(maxDrawn = MAX_DRAWN): DrawnGroups {
  /** From the one that was left first; true for those that are near. */
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
