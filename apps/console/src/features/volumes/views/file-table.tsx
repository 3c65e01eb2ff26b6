import type { ObjectsPage } from '@berth/contract';
import { type Column, IconButton, Menu, MiddleText, Time, useTell, VirtualTable } from '@berth/ui';
import { Link } from '@tanstack/react-router';
import { Copy, Download, Ellipsis, File, Folder, PenLine, Trash2 } from 'lucide-react';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { nameOf } from '../state/folder-path.ts';
import { useDownload } from './use-download.ts';

interface Row {
  readonly path: string;
  /** Absent for a folder. */
  readonly file?: ObjectsPage['objects'][number];
}

interface FileTableProps {
  readonly volume: string;
  /** Paths with a trailing `/`. */
  readonly folders: readonly string[];
  readonly files: ObjectsPage['objects'];
  readonly selected: ReadonlySet<string>;
  onSelect(path: string): void;
  onOpen(file: ObjectsPage['objects'][number]): void;
  /** Absent if the role does not allow renaming. */
  readonly onRename?: ((path: string) => void) | undefined;
  readonly onDelete?: ((path: string) => void) | undefined;
  onEnd(): void;
}

/** Table of a folder's entries that were loaded so far, folders first. */
export function FileTable(props: FileTableProps) {
  const { volume, folders, files, selected, onSelect, onOpen, onRename, onDelete, onEnd } = props;
  const { t, formats } = useConsoleTexts();
  const tell = useTell();
  const rows: readonly Row[] = [
    ...folders.map((path) => ({ path })),
    ...files.map((file) => ({ path: file.path, file })),
  ];
  const download = useDownload(volume);
  const copyPath = async (path: string) => {
    await navigator.clipboard.writeText(path);
    tell(t('files.copied'));
  };
  const columns: readonly Column<Row>[] = [
    {
      title: t('files.selectAll'),
      isTitleHidden: true,
      track: '1.25rem',
      cell: ({ path }) => (
        <label className="flex h-10 items-center max-sm:h-12">
          <span className="sr-only">{t('files.select', { name: nameOf(path) })}</span>
          <input
            type="checkbox"
            className="size-4 accent-accent-ground"
            checked={selected.has(path)}
            onChange={() => onSelect(path)}
          />
        </label>
      ),
    },
    {
      title: t('shell.name'),
      cell: ({ path, file }) =>
        file ? (
          <button
            type="button"
            onClick={() => onOpen(file)}
            className="flex max-w-full items-center gap-2 text-start hover:underline"
          >
            <File aria-hidden className="size-4 shrink-0 text-ink-soft" />
            <MiddleText text={nameOf(path)} />
          </button>
        ) : (
          <Link
            to="/volumes/$volume"
            params={{ volume }}
            search={{ path }}
            className="flex items-center gap-2 font-medium hover:underline"
          >
            <Folder aria-label={t('files.folder')} className="size-4 shrink-0 text-accent" />
            <MiddleText text={nameOf(path)} />
          </Link>
        ),
    },
    { title: t('files.size'), track: '6rem', isNumeric: true, cell: ({ file }) => file && formats.bytes(file.size) },
    {
      title: t('deployments.updated'),
      track: '11rem',
      isWideOnly: true,
      cell: ({ file }) => file && <Time at={file.updated} look="moment" />,
    },
    {
      title: t('files.allActions'),
      isTitleHidden: true,
      track: '2.5rem',
      cell: ({ path, file }) => (
        <Menu
          trigger={<IconButton icon={Ellipsis} label={t('files.actions', { name: nameOf(path) })} />}
          items={[
            ...(file ? [{ label: t('files.download'), icon: Download, onChoose: () => void download(path) }] : []),
            { label: t('files.copyPath'), icon: Copy, onChoose: () => void copyPath(path) },
            ...(onRename ? [{ label: t('files.rename'), icon: PenLine, onChoose: () => onRename(path) }] : []),
            ...(onDelete ? [{ label: t('deployment.delete'), icon: Trash2, onChoose: () => onDelete(path) }] : []),
          ]}
        />
      ),
    },
  ];
  return (
    <VirtualTable
      label={t('files.label', { name: volume })}
      rows={rows}
      columns={columns}
      rowKey={({ path }) => path}
      onEnd={onEnd}
    />
  );
}
