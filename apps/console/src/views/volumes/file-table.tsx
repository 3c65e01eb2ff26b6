import type { ObjectsPage } from '@berth/contract';
import { type Column, IconButton, Menu, MiddleText, useTell, VirtualTable } from '@berth/web';
import { Link } from '@tanstack/react-router';
import { Copy, Download, Ellipsis, File, Folder, Trash2 } from 'lucide-react';
import { useConsole } from '../../state/console-context.ts';
import { nameOf } from '../../state/volumes/folder-path.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

interface Row {
  readonly path: string;
  /** Absent of a folder. */
  readonly file?: ObjectsPage['objects'][number];
}

export interface FileTableProps {
  readonly volume: string;
  /** Paths with their `/`. */
  readonly folders: readonly string[];
  readonly files: ObjectsPage['objects'];
  onDelete(path: string): void;
  onEnd(): void;
}

/** What lies in a folder: its folders first, as far as they are read. */
export function FileTable({ volume, folders, files, onDelete, onEnd }: FileTableProps) {
  const { t, formats } = useConsoleTexts();
  const { client } = useConsole();
  const tell = useTell();
  const rows: readonly Row[] = [
    ...folders.map((path) => ({ path })),
    ...files.map((file) => ({ path: file.path, file })),
  ];
  const download = async (path: string) => {
    try {
      const { url } = await client.signDownload(volume, path);
      const link = Object.assign(document.createElement('a'), { href: url, download: nameOf(path), rel: 'noopener' });
      // What a browser shows itself is shown in a tab of its own; the storage lets no script of it run.
      link.target = '_blank';
      link.click();
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error));
    }
  };
  const copyPath = async (path: string) => {
    await navigator.clipboard.writeText(path);
    tell(t('files.copied'));
  };
  const columns: readonly Column<Row>[] = [
    {
      key: 'name',
      title: t('files.name'),
      track: 'minmax(0,1fr)',
      cell: ({ path, file }) =>
        file ? (
          <span className="flex items-center gap-2">
            <File aria-hidden className="size-4 shrink-0 text-ink-soft" />
            <MiddleText text={nameOf(path)} />
          </span>
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
    { key: 'size', title: t('files.size'), track: '6rem', cell: ({ file }) => file && formats.bytes(file.size) },
    {
      key: 'updated',
      title: t('files.updated'),
      track: '11rem',
      isWideOnly: true,
      cell: ({ file }) => file && <time dateTime={file.updated}>{formats.time(file.updated)}</time>,
    },
    {
      key: 'actions',
      title: t('files.allActions'),
      isTitleHidden: true,
      track: '2.5rem',
      cell: ({ path, file }) => (
        <Menu
          trigger={<IconButton icon={Ellipsis} label={t('files.actions', { name: nameOf(path) })} />}
          items={[
            ...(file ? [{ label: t('files.download'), icon: Download, onChoose: () => void download(path) }] : []),
            { label: t('files.copyPath'), icon: Copy, onChoose: () => void copyPath(path) },
            { label: t('files.delete'), icon: Trash2, onChoose: () => onDelete(path) },
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
