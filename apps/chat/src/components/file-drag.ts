import { useEffect, useRef, useState } from 'react';

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true;

/**
 * Keeps the browser from opening files that are dropped where nothing takes them, which would leave the page. Listens on the
 * window, after all others.
 */
export function refuseOtherDrops(): void {
  for (const type of ['dragover', 'drop'] as const) {
    addEventListener(type, (event) => {
      if (event.defaultPrevented || !hasFiles(event)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'none';
    });
  }
}

/**
 * Takes files that are dropped anywhere on the page, except on a dialog or an element that takes them itself. Returns true
 * while files are dragged over such a place.
 * @param onDrop undefined while no files are taken
 */
export function useFileDrag(onDrop: ((data: DataTransfer) => void) | undefined): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onDrop);
  latest.current = onDrop;
  useEffect(() => {
    const left = new AbortController();
    const { signal } = left;
    const isTaken = (event: DragEvent) =>
      latest.current !== undefined && !event.defaultPrevented && hasFiles(event) && !isCovered(event.target);
    document.addEventListener(
      'dragover',
      (event) => {
        const isMine = isTaken(event);
        setOver(isMine);
        if (isMine) event.preventDefault();
      },
      { signal },
    );
    document.addEventListener(
      'drop',
      (event) => {
        setOver(false);
        if (!isTaken(event) || !event.dataTransfer) return;
        event.preventDefault();
        latest.current?.(event.dataTransfer);
      },
      { signal },
    );
    // The files have left the window. Without this event, e.g. after Escape, the pointer moves again.
    document.addEventListener('dragleave', ({ relatedTarget }) => relatedTarget === null && setOver(false), { signal });
    document.addEventListener('mousemove', () => setOver(false), { signal });
    return () => left.abort();
  }, []);
  return isOver;
}

/** Returns true for a dialog and its backdrop, which are outside the page's own element. */
function isCovered(target: EventTarget | null): boolean {
  const page = document.getElementById('page');
  return page !== null && target instanceof Element && !page.contains(target) && !target.contains(page);
}
