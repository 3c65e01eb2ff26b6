import type { FileEntry } from '@berth/contract/agent';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState } from 'react';
import { useRoving } from '../../components/use-roving.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import type { FileActions } from './file-actions.ts';
import { FileRow } from './file-row.tsx';

export interface FileListProps extends FileActions {
  readonly entries: readonly FileEntry[];
  /** True when each row names the folder of its entry. */
  readonly isWithFolders: boolean;
  /** Path of the file whose preview was just closed; its row gets the Tab stop. */
  readonly from: string | undefined;
}

const ROW_PIXELS = 48;

/** A list of any number of files and folders; only visible rows are rendered. */
export function FileList({ entries, isWithFolders, from, ...actions }: FileListProps) {
  const { t } = useChatTexts();
  const scroller = useRef<HTMLDivElement>(null);
  const [start] = useState(() => entries.findIndex(({ path }) => path === from));
  const { tabIndex, rangeExtractor, list } = useRoving(entries.length, start < 0 ? undefined : start);
  const rows = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PIXELS,
    getItemKey: (index) => entries[index]?.path ?? index,
    overscan: 8,
    rangeExtractor,
  });
  if (entries.length === 0) return null;
  return (
    <div ref={scroller} className="max-h-[75dvh] overflow-y-auto overscroll-contain">
      <ul aria-label={t('files.title')} className="relative" style={{ height: rows.getTotalSize() }} {...list}>
        {rows.getVirtualItems().map(({ index, key, start, size }) => {
          const entry = entries[index];
          return entry ? (
            <li
              key={key}
              data-row={index}
              aria-setsize={entries.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0 top-0"
              style={{ height: size, transform: `translateY(${start}px)` }}
            >
              <FileRow entry={entry} isWithFolder={isWithFolders} tabIndex={tabIndex(index)} {...actions} />
            </li>
          ) : null;
        })}
      </ul>
    </div>
  );
}
