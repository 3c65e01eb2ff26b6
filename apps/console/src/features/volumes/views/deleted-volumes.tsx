import type { DeletedVolume } from '@berth/contract';
import { Button, ErrorNote, MiddleText, Time, VirtualTable } from '@berth/ui';
import { Undo2 } from 'lucide-react';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useAction } from '../../../api/use-action.ts';
import { useRead } from '../../../api/use-read.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Recently deleted volumes, each with a button that restores it. Renders nothing if there are none. */
export function DeletedVolumes({ canRestore }: { readonly canRestore: boolean }) {
  const { t, formats } = useConsoleTexts();
  // The key is below that of the list of volumes, so that invalidating the list refreshes both.
  const { data } = useRead(QUERY_KEYS.deletedVolumes, (client, signal) => client.get('/v1/volume/deleted', { signal }));
  const restore = useAction((client, name: string) => client.post('/v1/volume/restore', { body: { name } }), {
    refreshes: [QUERY_KEYS.volumes],
    said: (_, name) => t('volumes.restored', { name }),
  });
  if (!data || data.length === 0) return null;
  return (
    <section className="mt-10">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <h2 className="me-auto text-base font-semibold">{t('volumes.deletedTitle')}</h2>
      </div>
      <p className="mb-2 text-ink-soft">{t('volumes.deletedText')}</p>
      {restore.error && <ErrorNote error={restore.error} />}
      <VirtualTable<DeletedVolume>
        label={t('volumes.deletedTitle')}
        rows={data}
        rowKey={({ name }) => name}
        columns={[
          {
            title: t('shell.name'),
            track: 'minmax(0,2fr)',
            cell: ({ name }) => <MiddleText text={name} />,
          },
          {
            title: t('files.size'),
            track: '6rem',
            isWideOnly: true,
            cell: ({ size_bytes }) => formats.bytes(size_bytes),
          },
          {
            title: t('volumes.until'),
            cell: ({ restorable_until }) => <Time at={restorable_until} look="moment" />,
          },
          {
            title: t('volumes.restore'),
            isTitleHidden: true,
            track: '7rem',
            cell: ({ name }) =>
              canRestore && (
                <Button
                  icon={Undo2}
                  aria-label={`${t('volumes.restore')}: ${name}`}
                  isBusy={restore.isPending && restore.variables === name}
                  onClick={() => restore.mutate(name)}
                >
                  {t('volumes.restore')}
                </Button>
              ),
          },
        ]}
      />
    </section>
  );
}
