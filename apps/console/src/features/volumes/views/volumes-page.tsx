import type { Volume } from '@berth/contract';
import {
  Button,
  type Column,
  CopyCommand,
  EmptyState,
  ErrorNote,
  Field,
  IconButton,
  MiddleText,
  Skeleton,
  VirtualTable,
} from '@berth/ui';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { HardDrive, Plus, Trash2 } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { volumesQuery } from '../../../api/shared-queries.ts';
import { useRights } from '../../../api/use-rights.ts';
import { PageHead } from '../../../components/page-head.tsx';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { CreateVolumeDialog } from './create-volume-dialog.tsx';
import { DeleteVolumeDialog } from './delete-volume-dialog.tsx';
import { DeletedVolumes } from './deleted-volumes.tsx';
import { AttachedTo } from './volume-facts.tsx';

/** Minimum number of rows for which the search field is shown. */
const MANY = 5;

/** Page of the account's volumes, with their sizes and the deployments that mount them. */
export function VolumesPage() {
  const { t, formats } = useConsoleTexts();
  const { client } = useConsole();
  const [isCreating, setCreating] = useState(false);
  const [search, setSearch] = useState('');
  const canWrite = useRights().can('volumes');
  const [deleting, setDeleting] = useState<string>();
  const { data, error, refetch } = useQuery(volumesQuery(client));
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const rows = useMemo(() => (data ?? []).filter(({ name }) => name.includes(wanted)), [data, wanted]);
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
          <span className="flex gap-x-2 overflow-hidden" title={attached_to.join(', ')}>
            <AttachedTo names={attached_to} />
          </span>
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
      cell: ({ name }) =>
        canWrite && (
          <IconButton icon={Trash2} label={`${t('volumes.delete')}: ${name}`} onClick={() => setDeleting(name)} />
        ),
    },
  ];
  return (
    <>
      <PageHead title={t('volumes.title')}>
        <CopyCommand cli="npx berth volume ls" http={{ method: 'GET', path: '/v1/volume/list' }} />
        {canWrite && (
          <Button look="primary" onClick={() => setCreating(true)}>
            <Plus aria-hidden className="size-4" />
            {t('volumes.create')}
          </Button>
        )}
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
      {data && data.length >= MANY && (
        <Field className="mb-2" label={t('volumes.search')} type="search" value={search} onChange={setSearch} />
      )}
      {rows.length > 0 && (
        <VirtualTable label={t('volumes.title')} rows={rows} columns={columns} rowKey={({ name }) => name} />
      )}
      {data && data.length > 0 && rows.length === 0 && (
        <p role="status" className="py-10 text-center text-ink-soft">
          {t('volumes.noneFound', { search: wanted })}
        </p>
      )}
      <DeletedVolumes canRestore={canWrite} />
      {isCreating && <CreateVolumeDialog onClose={() => setCreating(false)} />}
      {deleting !== undefined && <DeleteVolumeDialog name={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}
