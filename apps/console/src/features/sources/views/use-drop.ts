import { useCallback, useEffect, useState } from 'react';
import { readDrop } from '../state/read-drop.ts';
import type { Source } from '../state/source-node.ts';

export interface Drop {
  /** Whether files are held over the page now. */
  readonly isOver: boolean;
  readonly source: Source | undefined;
  /** Why what was dropped is none. */
  readonly error: unknown;
  /** Puts what comes from elsewhere in its place, or nothing. */
  take(source: Promise<Source> | undefined): void;
}

/** What is dropped on the page, but for elements marked `data-own-drop`, which see to it themselves. */
export function useDrop(): Drop {
  const [isOver, setOver] = useState(false);
  const [found, setFound] = useState<{ readonly source?: Source; readonly error?: unknown }>({});
  const take = useCallback((source: Promise<Source> | undefined) => {
    setFound({});
    source?.then(
      (value) => setFound({ source: value }),
      (error: unknown) => setFound({ error }),
    );
  }, []);
  useEffect(() => {
    const listeners = new AbortController();
    const isOurs = (event: DragEvent) =>
      event.dataTransfer?.types.includes('Files') === true &&
      (event.target as HTMLElement | null)?.closest?.('[data-own-drop]') == null;
    const listen = (type: 'dragover' | 'dragleave' | 'drop', handle: (event: DragEvent) => void) =>
      addEventListener(type, handle, { signal: listeners.signal });
    listen('dragover', (event) => {
      if (!isOurs(event)) return setOver(false);
      event.preventDefault();
      setOver(true);
    });
    // To nowhere: out of the window.
    listen('dragleave', (event) => event.relatedTarget === null && setOver(false));
    listen('drop', (event) => {
      setOver(false);
      if (!isOurs(event)) return;
      event.preventDefault();
      // The list is emptied when this returns.
      const entries = [...(event.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry());
      take(readDrop(entries.filter((entry) => entry !== null)));
    });
    return () => listeners.abort();
  }, [take]);
  return { isOver, source: found.source, error: found.error, take };
}
