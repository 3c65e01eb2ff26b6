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
import { answerText, type Item, questionText } from '../state/items.ts';
import type { ItemGroup } from './group-items.ts';

/** Tells groups when to render and when to be replaced by placeholders. */
export interface GroupWatch {
  /** Watches a group; `onChange` returns false when the group cannot comply. Returns a function that stops watching. */
  add(element: Element, from: number, onChange: (isDrawn: boolean) => boolean): () => void;
}

export interface MessageGroupProps {
  readonly group: ItemGroup;
  readonly watch: GroupWatch;
  /** True for the end of a conversation, which is always rendered. */
  readonly isEnd: boolean;
  readonly draw: (item: Item, index: number) => ReactNode;
}

/** A group of messages that renders when it comes near the viewport; until then it shows a placeholder. */
export const MessageGroup = memo(function MessageGroup({ group, watch, isEnd, draw }: MessageGroupProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(isEnd);
  /** The height when the group was last rendered. */
  const heightPx = useRef<number | undefined>(undefined);
  const isDrawn = isNear || isEnd;
  const onFound = useCallback(() => setNear(true), []);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    return watch.add(element, group.from, (isWanted) => {
      // The person selects text or has the focus in this group: keep it rendered.
      if (!isWanted && isHeld(element)) return false;
      if (!isWanted) heightPx.current = element.offsetHeight;
      startTransition(() => setNear(isWanted));
      return true;
    });
  }, [watch, group.from]);
  useKeepPlace(place, isDrawn);
  return (
    <div ref={place} data-drawn={isDrawn} data-from={group.from} className="flex flex-col gap-2">
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

/** Keeps the reading position when a group above it changes its height, in browsers without scroll anchoring. */
function useKeepPlace(place: React.RefObject<HTMLElement | null>, isDrawn: boolean): void {
  const before = useRef<number | undefined>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height changes with isDrawn
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

/** The placeholder of a message that is not rendered: its text, for find in page, and its estimated height. */
export interface ItemOutline {
  readonly text: string;
  readonly heightPx: number;
}

/** Height of a line of text and of the space around a message, measured on a page 768 pixels wide. */
const LINE_PX = 25;
const AROUND_PX = 80;
const MAX_CHARACTERS_OF_LINE = 90;
const PIXELS_OF_CHARACTER = 8;

/** Returns the placeholder of a message. @param widthPx width of the message column */
export function outlineItem(item: Item, widthPx: number): ItemOutline {
  const text = item.kind === 'question' ? questionText(item) : answerText(item);
  const ofLine = Math.max(10, Math.min(MAX_CHARACTERS_OF_LINE, widthPx / PIXELS_OF_CHARACTER));
  const lines = text.split('\n').reduce((sum, line) => sum + Math.ceil(Math.max(1, line.length) / ofLine), 0);
  return { text, heightPx: AROUND_PX + lines * LINE_PX };
}
