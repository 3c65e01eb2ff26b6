import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { Item } from '../state/items.ts';
import { groupItems, type ItemGroup } from './group-items.ts';
import { type GroupWatch, MessageGroup } from './message-group.tsx';

export interface MessageListProps {
  readonly items: readonly Item[];
  /** The scroll container; the window when absent. */
  readonly scroller?: RefObject<HTMLElement | null>;
  /** Renders a message. A new function renders all visible messages again. */
  readonly draw: (item: Item, index: number) => ReactNode;
  /** Renders the messages from `tailFrom` on, which change while an answer streams. */
  readonly drawTail: (item: Item, index: number) => ReactNode;
  readonly tailFrom: number;
}

/** The margin around the viewport within which groups are rendered: two turns of a mouse wheel. */
const AHEAD = '1200px 0px';

/**
 * A list of any number of messages. Messages near the viewport are rendered; the others are placeholders with their text and
 * estimated height, so that the browser can find and print them.
 */
export function MessageList({ items, scroller, draw, drawTail, tailFrom }: MessageListProps) {
  const before = useRef<readonly ItemGroup[]>([]);
  const groups = useMemo(() => groupItems(items, before.current), [items]);
  useLayoutEffect(() => {
    before.current = groups;
  }, [groups]);
  const watch = useGroupWatch(scroller);
  return groups.map((group, index) => (
    <MessageGroup
      key={group.from}
      group={group}
      watch={watch}
      isEnd={index >= groups.length - 2}
      draw={group.from + group.items.length > tailFrom ? drawTail : draw}
    />
  ));
}

/** Returns a watch that shares one intersection observer between all groups. */
function useGroupWatch(scroller: RefObject<HTMLElement | null> | undefined): GroupWatch {
  const watch = useMemo(() => createGroupWatch(() => scroller?.current ?? null), [scroller]);
  useEffect(() => () => watch.close(), [watch]);
  return watch;
}

function createGroupWatch(rootOf: () => HTMLElement | null): GroupWatch & { close(): void } {
  const drawn = createDrawnGroups();
  const places = new Map<Element, number>();
  const tell = new Map<number, (isDrawn: boolean) => boolean>();
  let observer: IntersectionObserver | undefined;
  const look = (entries: readonly IntersectionObserverEntry[]) => {
    for (const { target, isIntersecting } of entries) {
      const from = places.get(target);
      if (from === undefined) continue;
      if (!isIntersecting) {
        drawn.leave(from);
        continue;
      }
      tell.get(from)?.(true);
      for (const other of drawn.come(from)) if (tell.get(other)?.(false) === false) drawn.come(other);
    }
  };
  return {
    add(element, from, onChange) {
      observer ??= new IntersectionObserver(look, { root: rootOf(), rootMargin: AHEAD });
      places.set(element, from);
      tell.set(from, onChange);
      observer.observe(element);
      return () => {
        observer?.unobserve(element);
        places.delete(element);
        if (tell.get(from) === onChange) tell.delete(from);
      };
    },
    close() {
      observer?.disconnect();
      observer = undefined;
    },
  };
}

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
