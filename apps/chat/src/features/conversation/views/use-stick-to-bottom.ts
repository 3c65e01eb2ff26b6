import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/** Pixels from the end within which the page goes along with an answer. */
const NEAR_END = 48;

/** Keeps the end of what grows in sight, until the person scrolls up; again when they come back to the end. */
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
      // What grows below moves nothing up: only a person does.
      if (isNear) isStuck.current = true;
      else if (box.scrollTop < lastTop) isStuck.current = false;
      lastTop = box.scrollTop;
      setAway(!isNear && !isStuck.current);
    };
    // While it grows fast, the page may have gone further down than a turn of the wheel goes up.
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
