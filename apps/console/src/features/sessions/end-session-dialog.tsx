import { ConfirmDialog, useTell } from '@berth/ui';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

/** Props of {@link EndSessionDialog}. */
export interface EndSessionDialogProps {
  /** A session's ID, or `others` for all but this browser's. */
  readonly id: string | 'others';
  onClose(): void;
}

/** Dialog that ends one session, or all others. */
export function EndSessionDialog({ id, onClose }: EndSessionDialogProps) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const tell = useTell();
  const areOthers = id === 'others';
  const end = useMutation({
    mutationFn: () =>
      areOthers
        ? client.post('/v1/user/sessions/end-others')
        : client.delete('/v1/user/sessions', { params: { query: { id } } }),
    async onSuccess() {
      tell(t('sessions.ended'));
      await queries.invalidateQueries({ queryKey: QUERY_KEYS.sessions });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={t(areOthers ? 'sessions.endOthers.title' : 'sessions.end.title')}
      description={t('sessions.end.text')}
      action={t(areOthers ? 'sessions.endOthers' : 'sessions.end')}
      command={{
        cli: areOthers ? 'npx berth sessions end --others' : `npx berth sessions end ${id}`,
        http: areOthers
          ? { method: 'POST', path: '/v1/user/sessions/end-others' }
          : { method: 'DELETE', path: `/v1/user/sessions?id=${id}` },
        secret: 'session',
      }}
      isOpen
      isBusy={end.isPending}
      error={end.error}
      onConfirm={() => end.mutate()}
      onClose={onClose}
    />
  );
}
