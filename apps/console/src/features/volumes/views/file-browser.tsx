import type { ObjectsPage } from '@berth/contract';
import { useState } from 'react';
import { DeleteFilesDialog } from './delete-files-dialog.tsx';
import { FileTable } from './file-table.tsx';
import { PreviewDialog } from './preview-dialog.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { SelectionBar } from './selection-bar.tsx';

interface FileBrowserProps {
  readonly volume: string;
  readonly folder: string;
  /** Paths with a trailing `/`. */
  readonly folders: readonly string[];
  readonly files: ObjectsPage['objects'];
  /** True if the role allows renaming and deleting. */
  readonly canWrite: boolean;
  onEnd(): void;
}

/** The entries of a folder with the actions for one entry and for the selection. */
export function FileBrowser({ volume, folder, folders, files, canWrite, onEnd }: FileBrowserProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<ObjectsPage['objects'][number]>();
  const [renaming, setRenaming] = useState<string>();
  const [deleting, setDeleting] = useState<readonly string[]>();
  const all = [...folders, ...files.map(({ path }) => path)];
  // Entries that were deleted in the meantime are no longer selected.
  const selected = new Set(all.filter((path) => chosen.has(path)));
  const select = (path: string) => {
    const next = new Set(selected);
    if (!next.delete(path)) next.add(path);
    setChosen(next);
  };
  return (
    <>
      {selected.size > 0 && (
        <SelectionBar
          volume={volume}
          folder={folder}
          paths={[...selected]}
          onDelete={canWrite ? () => setDeleting([...selected]) : undefined}
          onSelectAll={() => setChosen(new Set(all))}
          onClear={() => setChosen(new Set())}
        />
      )}
      <FileTable
        volume={volume}
        folders={folders}
        files={files}
        selected={selected}
        onEnd={onEnd}
        onSelect={select}
        onOpen={setOpened}
        onRename={canWrite ? setRenaming : undefined}
        onDelete={canWrite ? (path) => setDeleting([path]) : undefined}
      />
      {opened && <PreviewDialog volume={volume} file={opened} onClose={() => setOpened(undefined)} />}
      {renaming !== undefined && (
        <RenameDialog volume={volume} path={renaming} onClose={() => setRenaming(undefined)} />
      )}
      {deleting && (
        <DeleteFilesDialog
          volume={volume}
          paths={deleting}
          onDeleted={() => {
            setDeleting(undefined);
            setChosen(new Set());
          }}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </>
  );
}
