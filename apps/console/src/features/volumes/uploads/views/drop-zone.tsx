import { type DragEvent, type ReactNode, useState } from 'react';
import { useConsoleTexts } from '../../../../text/use-console-texts.ts';
import { toSourceNode } from '../../../sources/state/read-drop.ts';
import type { SourceNode } from '../../../sources/state/source-node.ts';
import { useUploadQueue } from '../state/upload-queue-context.ts';
import { walkNodes } from '../state/walk-nodes.ts';

interface DropZoneProps {
  readonly volume: string;
  readonly folder: string;
  readonly children: ReactNode;
}

/** Area that uploads files dropped on it. Its `data-own-drop` attribute keeps the console from deploying them. */
export function DropZone({ volume, folder, children }: DropZoneProps) {
  const { t } = useConsoleTexts();
  const uploads = useUploadQueue();
  const [isOver, setOver] = useState(false);
  const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files');
  return (
    <section
      aria-label={volume}
      data-own-drop
      className="relative min-h-[70vh]"
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(false);
        // The browser empties the item list when this handler returns.
        const nodes = [...event.dataTransfer.items].flatMap((item) => readItem(item) ?? []);
        const names = nodes.map(({ name }) => name);
        uploads.add(walkNodes(nodes, volume, folder), { volume, folder, names });
      }}
    >
      {children}
      {isOver && (
        <p className="pointer-events-none absolute inset-0 z-10 flex items-start justify-center rounded-lg border-2 border-dashed border-accent bg-accent-soft/90 pt-24 text-base font-medium text-accent">
          {t('files.drop')}
        </p>
      )}
    </section>
  );
}

/** Returns the dropped entry; undefined for files that another page generated, which have no file system entry. */
function readItem(item: DataTransferItem): SourceNode | undefined {
  const entry = item.webkitGetAsEntry();
  if (entry) return toSourceNode(entry);
  const file = item.getAsFile();
  return file ? { kind: 'file', name: file.name, open: async () => file } : undefined;
}
