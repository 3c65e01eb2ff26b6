import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/** Distance from the bottom, in pixels, within which the page follows a growing answer. */
const NEAR_END = 48;

/**
 * Keeps the bottom of growing content in view until the person scrolls up, and again once they scroll back down. Returns
 * `isAway`, true while the bottom is out of view, and `toEnd`, which scrolls to it.
 */
export function useStickToBottom(scroller: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>) {
  const isStuck = useRef(true);
  const [isAway, setAway] = useState(false);
  const toEnd = useCallback(() => {
    isStuck.current = true;
    setAway(false);
    const box = scroller.current;
    if (box) box.scrollTop = box.scrollHeight;
  }, [scroller]);
  useEffect(() => {
    const [box, inside] = [scroller.current, content.current];
    if (!box || !inside) return;
    let lastTop = box.scrollTop;
    const onScroll = () => {
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END;
      // Growth at the bottom never decreases scrollTop: only the person scrolls up.
      if (isNear) isStuck.current = true;
      else if (box.scrollTop < lastTop) isStuck.current = false;
      lastTop = box.scrollTop;
      setAway(!isNear && !isStuck.current);
    };
    // When the content grows fast, the page may scroll down further than the wheel scrolls up, and scrollTop still increases.
    const onWheel = ({ deltaY }: WheelEvent) => {
      if (deltaY < 0) isStuck.current = false;
    };
    const growth = new ResizeObserver(() => {
      if (!isStuck.current) return;
      box.scrollTop = box.scrollHeight;
      lastTop = box.scrollTop;
    });
    box.addEventListener('scroll', onScroll, { passive: true });
    box.addEventListener('wheel', onWheel, { passive: true });
    growth.observe(inside);
    growth.observe(box);
    return () => {
      growth.disconnect();
      box.removeEventListener('scroll', onScroll);
      box.removeEventListener('wheel', onWheel);
    };
  }, [scroller, content]);
  return { isAway, toEnd };
}
