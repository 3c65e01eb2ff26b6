import {
  memo,
  type ReactNode,
  startTransition,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { UntilFound } from '../../../components/until-found.tsx';
import type { Item } from '../state/items.ts';
import type { ItemGroup } from './group-items.ts';
import { outlineItem } from './outline-item.ts';

/** Tells groups when they come near, and when they are to make room. */
export interface GroupWatch {
  /** `onChange` answers false where it can't be as it was told. Returns what ends it. */
  add(element: Element, from: number, onChange: (isDrawn: boolean) => boolean): () => void;
}

export interface MessageGroupProps {
  readonly group: ItemGroup;
  readonly watch: GroupWatch;
  /** The end of a conversation is drawn, wherever one looks. */
  readonly isEnd: boolean;
  readonly draw: (item: Item, index: number) => ReactNode;
}

/** Messages that are drawn when they come near. One that is the same as before is not drawn again. */
export const MessageGroup = memo(function MessageGroup({ group, watch, isEnd, draw }: MessageGroupProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(isEnd);
  /** As high as it was when it was drawn. */
  const heightPx = useRef<number | undefined>(undefined);
  const isDrawn = isNear || isEnd;
  const onFound = useCallback(() => setNear(true), []);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    return watch.add(element, group.from, (isWanted) => {
      // What somebody is at stays.
      if (!isWanted && isHeld(element)) return false;
      if (!isWanted) heightPx.current = element.offsetHeight;
      startTransition(() => setNear(isWanted));
      return true;
    });
  }, [watch, group.from]);
  useKeepPlace(place, isDrawn);
  return (
    <div ref={place} data-drawn={isDrawn} className="flex flex-col gap-4">
      {isDrawn ? (
        group.items.map((item, index) => draw(item, group.from + index))
      ) : (
        <Outline items={group.items} heightPx={heightPx.current} onFound={onFound} />
      )}
    </div>
  );
});

function isHeld(element: Element): boolean {
  const selection = getSelection();
  const isSelected = selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
  return isSelected || element.contains(document.activeElement);
}

/** Where browsers don't keep the place of what is read while what is above it changes its height, this does. */
function useKeepPlace(place: React.RefObject<HTMLElement | null>, isDrawn: boolean): void {
  const before = useRef<number | undefined>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height changes with it
  useLayoutEffect(() => {
    const element = place.current;
    if (!element || CSS.supports('overflow-anchor', 'auto')) return;
    const { height, top } = element.getBoundingClientRect();
    const box = element.closest('[data-scroller]') ?? document.scrollingElement;
    if (before.current !== undefined && box && top < 0) box.scrollTop += height - before.current;
    before.current = height;
  }, [place, isDrawn]);
}

interface OutlineProps {
  readonly items: readonly Item[];
  readonly heightPx: number | undefined;
  onFound(): void;
}

function Outline({ items, heightPx, onFound }: OutlineProps) {
  const outline = useMemo(() => {
    const all = items.map((item) => outlineItem(item, Math.min(innerWidth, 768) - 32));
    return {
      text: all.map(({ text }) => text).join('\n\n'),
      heightPx: all.reduce((sum, one) => sum + one.heightPx, 0),
    };
  }, [items]);
  return (
    <div className="overflow-hidden print:h-auto!" style={{ height: heightPx ?? outline.heightPx }}>
      <UntilFound text={outline.text} onFound={onFound} />
    </div>
  );
}
