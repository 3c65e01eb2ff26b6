import { Button, CopyCommand, Dialog, ErrorNote, Field, quote, useTell } from '@berth/web';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../state/console-context.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

export interface NameVolumeDialogProps {
  readonly action: 'create' | 'restore';
  onClose(): void;
}

/** Makes a volume, or brings one back that was deleted: the API lists none that are, but knows their names. */
export function NameVolumeDialog({ action, onClose }: NameVolumeDialogProps) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const tell = useTell();
  const [name, setName] = useState('');
  const run = useMutation({
    async mutationFn() {
      if (action === 'create') return (await client.createVolume(name)).created ? 'created' : 'existed';
      await client.restoreVolume(name);
      return 'restored';
    },
    async onSuccess(outcome) {
      await queries.invalidateQueries({ queryKey: ['volumes'] });
      tell(t(`volumes.${outcome}`, { name }));
      onClose();
    },
  });
  const shown = name || 'media';
  return (
    <Dialog
      title={t(action === 'create' ? 'volumes.create' : 'volumes.restore.title')}
      description={action === 'restore' ? t('volumes.restore.text') : undefined}
      isOpen
      onClose={onClose}
    >
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
            cli={`npx berth volume ${action} ${quote(shown)}`}
            http={{ method: 'POST', path: `/v1/volume/${action}`, body: { name: shown } }}
          />
          <Button look="primary" type="submit" isBusy={run.isPending} disabled={name === ''}>
            {t(action === 'create' ? 'volumes.create' : 'volumes.restore')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
