import type { Volume } from '@berth/contract';
import {
  Button,
  type Column,
  EmptyState,
  Field,
  IconButton,
  MiddleText,
  quote,
  Time,
  useTell,
  VirtualTable,
} from '@berth/ui';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { HardDrive, Plus, Trash2 } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useVolumes } from '../../../api/shared-lists.ts';
import { useRights } from '../../../api/use-rights.ts';
import { ConfirmAction } from '../../../components/confirm-action.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { PageHead } from '../../../components/page-head.tsx';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { CreateVolumeDialog } from './create-volume-dialog.tsx';
import { DeletedVolumes } from './deleted-volumes.tsx';
import { AttachedTo } from './volume-facts.tsx';

/** Minimum number of rows for which the search field is shown. */
const MANY = 5;

/** Page of the account's volumes, with their sizes and the deployments that mount them. */
export function VolumesPage() {
  const { t, formats } = useConsoleTexts();
  const [isCreating, setCreating] = useState(false);
  const [search, setSearch] = useState('');
  const canWrite = useRights().can('volumes');
  const [deleting, setDeleting] = useState<string>();
  const volumes = useVolumes();
  const { data } = volumes;
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const rows = useMemo(() => (data ?? []).filter(({ name }) => name.includes(wanted)), [data, wanted]);
  const columns: readonly Column<Volume>[] = [
    {
      title: t('shell.name'),
      track: 'minmax(0,2fr)',
      cell: ({ name }) => (
        <Link to="/volumes/$volume" params={{ volume: name }} className="font-medium hover:underline">
          <MiddleText text={name} />
        </Link>
      ),
    },
    { title: t('files.size'), track: '6rem', isNumeric: true, cell: ({ size_bytes }) => formats.bytes(size_bytes) },
    {
      title: t('volumes.objects'),
      track: '6rem',
      isWideOnly: true,
      cell: ({ object_count }) => formats.number(object_count),
    },
    {
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
      title: t('volumes.age'),
      track: '8rem',
      isWideOnly: true,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    {
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
      <PageHead
        title={t('nav.volumes')}
        command={{ cli: 'npx berth volume ls', http: { method: 'GET', path: '/v1/volume/list' } }}
      >
        {canWrite && (
          <Button icon={Plus} look="primary" onClick={() => setCreating(true)}>
            {t('volumes.create')}
          </Button>
        )}
      </PageHead>
      <Loaded
        query={volumes}
        rows={3}
        empty={
          <EmptyState
            icon={HardDrive}
            title={t('volumes.empty.title')}
            text={t('volumes.empty.text')}
            command="npx berth volume create media"
          />
        }
      >
        {({ length }) => (
          <>
            {length >= MANY && (
              <Field className="mb-2" label={t('volumes.search')} type="search" value={search} onChange={setSearch} />
            )}
            {rows.length > 0 ? (
              <VirtualTable label={t('nav.volumes')} rows={rows} columns={columns} rowKey={({ name }) => name} />
            ) : (
              <p role="status" className="py-10 text-center text-ink-soft">
                {t('volumes.noneFound', { search: wanted })}
              </p>
            )}
          </>
        )}
      </Loaded>
      <DeletedVolumes canRestore={canWrite} />
      {isCreating && <CreateVolumeDialog onClose={() => setCreating(false)} />}
      {deleting !== undefined && <DeleteVolumeDialog name={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

/**
 * Dialog that deletes a volume and then offers to restore it. The server refuses while deployments mount the volume,
 * and its error names them.
 */
function DeleteVolumeDialog({ name, onClose }: { readonly name: string; onClose(): void }) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const tell = useTell();
  const restore = async () => {
    try {
      await client.post('/v1/volume/restore', { body: { name } });
      await queries.invalidateQueries({ queryKey: QUERY_KEYS.volumes });
      tell(t('volumes.restored', { name }));
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <ConfirmAction
      title={t('volumes.delete.title', { name })}
      description={t('volumes.delete.text')}
      action={t('volumes.delete')}
      typedName={name}
      command={{
        cli: `npx berth volume delete ${quote(name)}`,
        http: { method: 'POST', path: '/v1/volume/delete', body: { name } },
      }}
      run={(client) => client.post('/v1/volume/delete', { body: { name } })}
      refreshes={[QUERY_KEYS.volumes]}
      onDone={() => tell(t('volumes.deleted', { name }), { label: t('volumes.restore'), onUndo: () => void restore() })}
      onClose={onClose}
    />
  );
}
