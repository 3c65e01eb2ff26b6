import { useCallback, useEffect, useRef, useState } from 'react';
import { readDrop } from '../state/read-drop.ts';
import type { Source } from '../state/source-node.ts';

/** State of dropping a source on the page. */
export interface Drop {
  /** True while files are dragged over the page. */
  readonly isOver: boolean;
  readonly source: Source | undefined;
  /** Why the dropped items are not a valid source. */
  readonly error: unknown;
  /** Replaces the source with one that was chosen elsewhere, or clears it. */
  take(source: Promise<Source> | undefined): void;
}

/** Returns the source dropped on the page. Elements marked `data-own-drop` handle their drops themselves. */
export function useDrop(): Drop {
  const [isOver, setOver] = useState(false);
  const [found, setFound] = useState<{ readonly source?: Source; readonly error?: unknown }>({});
  const newest = useRef<Promise<Source>>(undefined);
  const take = useCallback((source: Promise<Source> | undefined) => {
    newest.current = source;
    setFound({});
    // A file can take long to open; meanwhile another source may have been chosen, or the dialog closed.
    const show = (next: { readonly source?: Source; readonly error?: unknown }) => {
      if (newest.current === source) setFound(next);
    };
    source?.then(
      (value) => show({ source: value }),
      (error: unknown) => show({ error }),
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
    // No related target: the pointer left the window.
    listen('dragleave', (event) => event.relatedTarget === null && setOver(false));
    listen('drop', (event) => {
      setOver(false);
      if (!isOurs(event)) return;
      event.preventDefault();
      // The browser empties the item list when this handler returns.
      const entries = [...(event.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry());
      take(readDrop(entries.filter((entry) => entry !== null)));
    });
    return () => listeners.abort();
  }, [take]);
  return { isOver, source: found.source, error: found.error, take };
}
