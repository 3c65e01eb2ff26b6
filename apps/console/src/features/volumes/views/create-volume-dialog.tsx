import { Button, CopyCommand, Dialog, ErrorNote, Field, quote, useTell } from '@berth/ui';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Makes a volume. */
export function CreateVolumeDialog({ onClose }: { onClose(): void }) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const tell = useTell();
  const [name, setName] = useState('');
  const run = useMutation({
    mutationFn: () => client.createVolume(name),
    async onSuccess({ created }) {
      await queries.invalidateQueries({ queryKey: QUERY_KEYS.volumes });
      tell(t(created ? 'volumes.created' : 'volumes.existed', { name }));
      onClose();
    },
  });
  const shown = name || 'media';
  return (
    <Dialog title={t('volumes.create')} isOpen onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          run.mutate();
        }}
      >
        <Field
          label={t('volumes.name')}
          hint={t('volumes.nameHint')}
          value={name}
          onChange={setName}
          required
          maxLength={63}
          autoComplete="off"
          spellCheck={false}
          dir="ltr"
        />
        {run.error && <ErrorNote error={run.error} />}
        <div className="flex justify-end gap-2">
          <CopyCommand
            cli={`npx berth volume create ${quote(shown)}`}
            http={{ method: 'POST', path: '/v1/volume/create', body: { name: shown } }}
          />
          <Button look="primary" type="submit" isBusy={run.isPending} disabled={name === ''}>
            {t('volumes.create')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
