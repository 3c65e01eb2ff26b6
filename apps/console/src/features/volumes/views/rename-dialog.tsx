import { BerthError } from '@berth/kit';
import { Button, Dialog, Form, FormActions, quote, useTell } from '@berth/ui';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsole } from '../../../api/console-context.ts';
import { QUERY_KEYS } from '../../../api/query-keys.ts';
import { CodeNameField } from '../../../components/fields.tsx';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';
import { nameOf } from '../state/folder-path.ts';

interface RenameDialogProps {
  readonly volume: string;
  /** Path of an object, or of a folder with a trailing `/`. */
  readonly path: string;
  onClose(): void;
}

/** Dialog that renames or moves a file or folder. Replaces an existing target only if the person confirms it. */
export function RenameDialog({ volume, path, onClose }: RenameDialogProps) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const tell = useTell();
  const slash = path.endsWith('/') ? '/' : '';
  const [typed, setTyped] = useState(slash ? path.slice(0, -1) : path);
  const [sentTo, setSentTo] = useState<string>();
  const to = typed.replace(/\/+$/, '') + slash;
  const move = useMutation({
    mutationFn(overwrite: boolean) {
      setSentTo(to);
      return client.moveObject({ volume, from: path, to, overwrite });
    },
    onSuccess() {
      tell(t('files.renamed', { name: nameOf(path), to }));
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: QUERY_KEYS.filesOf(volume) }),
  });
  // The answer is about the path that was sent; another one may be in use as well, which nobody has asked about.
  const isTaken = BerthError.is(move.error, 'conflict') && sentTo === to;
  return (
    <Dialog
      command={{
        cli: `npx berth volume mv ${quote(volume)} ${quote(path)} ${quote(to)}`,
        http: { method: 'POST', path: '/v1/volume/move-object', body: { volume, from: path, to } },
      }}
      title={t('files.rename.title', { name: nameOf(path) })}
      description={t('files.rename.text')}
      isOpen
      onClose={onClose}
    >
      <Form onSubmit={() => move.mutate(false)} error={move.error}>
        <CodeNameField
          label={t('files.rename.path')}
          name="to"
          hint={t('files.rename.hint')}
          value={typed}
          onChange={setTyped}
          required
        />
        <FormActions>
          {isTaken && (
            <Button look="danger" isBusy={move.isPending} onClick={() => move.mutate(true)}>
              {t('files.rename.replace')}
            </Button>
          )}
          <Button look="primary" type="submit" isBusy={move.isPending} disabled={to === path || typed === ''}>
            {t('files.rename')}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
