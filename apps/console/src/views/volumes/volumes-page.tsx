import type { Volume } from '@berth/contract';
import {
  Button,
  type Column,
  CopyCommand,
  EmptyState,
  ErrorNote,
  IconButton,
  MiddleText,
  Skeleton,
  VirtualTable,
} from '@berth/web';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { HardDrive, Plus, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { PageHead } from '../../shell/page-head.tsx';
import { useConsole } from '../../state/console-context.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { DeleteVolumeDialog } from './delete-volume-dialog.tsx';
import { NameVolumeDialog } from './name-volume-dialog.tsx';
import { UploadTray } from './upload-tray.tsx';

/** The account's volumes: how much each holds, and who has it mounted. */
export function VolumesPage() {
  const { t, formats } = useConsoleTexts();
  const { client } = useConsole();
  const [naming, setNaming] = useState<'create' | 'restore'>();
  const [deleting, setDeleting] = useState<string>();
  const { data, error, refetch } = useQuery({
    queryKey: ['volumes'],
    queryFn: ({ signal }) => client.listVolumes({ signal }),
  });
  const columns: readonly Column<Volume>[] = [
    {
      key: 'name',
      title: t('volumes.name'),
      track: 'minmax(0,2fr)',
      cell: ({ name }) => (
        <Link to="/volumes/$volume" params={{ volume: name }} className="font-medium hover:underline">
          <MiddleText text={name} />
        </Link>
      ),
    },
    { key: 'size', title: t('volumes.size'), track: '6rem', cell: ({ size_bytes }) => formats.bytes(size_bytes) },
    {
      key: 'objects',
      title: t('volumes.objects'),
      track: '6rem',
      isWideOnly: true,
      cell: ({ object_count }) => formats.number(object_count),
    },
    {
      key: 'attached',
      title: t('volumes.attached'),
      track: 'minmax(0,2fr)',
      isWideOnly: true,
      cell: ({ attached_to }) =>
        attached_to.length > 0 ? (
          <MiddleText text={attached_to.join(', ')} />
        ) : (
          <span className="text-ink-soft">{t('volumes.unattached')}</span>
        ),
    },
    {
      key: 'created',
      title: t('volumes.age'),
      track: '8rem',
      isWideOnly: true,
      cell: ({ created_at }) => <span title={formats.time(created_at)}>{formats.ago(created_at, Date.now())}</span>,
    },
    {
      key: 'delete',
      title: t('volumes.delete'),
      isTitleHidden: true,
      track: '2.5rem',
      cell: ({ name }) => (
        <IconButton icon={Trash2} label={`${t('volumes.delete')}: ${name}`} onClick={() => setDeleting(name)} />
      ),
    },
  ];
  return (
    <>
      <PageHead title={t('volumes.title')}>
        <CopyCommand cli="npx berth volume ls" http={{ method: 'GET', path: '/v1/volume/list' }} />
        <Button onClick={() => setNaming('restore')}>
          <Undo2 aria-hidden className="size-4" />
          {t('volumes.restore')}
        </Button>
        <Button look="primary" onClick={() => setNaming('create')}>
          <Plus aria-hidden className="size-4" />
          {t('volumes.create')}
        </Button>
      </PageHead>
      {error && !data && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={3} />}
      {data?.length === 0 && (
        <EmptyState
          icon={HardDrive}
          title={t('volumes.empty.title')}
          text={t('volumes.empty.text')}
          command="npx berth volume create media"
        />
      )}
      {data && data.length > 0 && (
        <VirtualTable label={t('volumes.title')} rows={data} columns={columns} rowKey={({ name }) => name} />
      )}
      {naming && <NameVolumeDialog action={naming} onClose={() => setNaming(undefined)} />}
      {deleting !== undefined && <DeleteVolumeDialog name={deleting} onClose={() => setDeleting(undefined)} />}
      <UploadTray />
    </>
  );
}
