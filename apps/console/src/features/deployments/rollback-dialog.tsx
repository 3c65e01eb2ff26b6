import type { RollbackPreview } from '@berth/contract';
import { ConfirmDialog } from '@berth/ui';
import { useConsole } from '../../api/console-context.ts';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { useRead } from '../../api/use-read.ts';
import { Loaded } from '../../components/loaded.tsx';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { useDeployRun } from '../deploys/state/deploy-run-context.ts';
import { describeRollback } from './rollback-changes.ts';

interface RollbackDialogProps {
  readonly name: string;
  /** The revision to make live. */
  readonly revision: string;
  /** True when it is newer than the live one. */
  readonly isPromotion: boolean;
  onClose(): void;
}

/** Dialog that lists what a rollback or promotion changes before it begins. */
export function RollbackDialog({ name, revision, isPromotion, onClose }: RollbackDialogProps) {
  const { t } = useConsoleTexts();
  const { client } = useConsole();
  const deployRun = useDeployRun();
  const preview = useRead(
    QUERY_KEYS.rollback(name, revision),
    (api, signal) => api.get('/v1/deployment/rollback/preview', { params: { query: { name, revision } }, signal }),
    // An earlier answer may name other changes.
    { gcTime: 0 },
  );
  return (
    <ConfirmDialog
      title={t(isPromotion ? 'deployment.promote.title' : 'deployment.rollback.title', { revision })}
      description={t(isPromotion ? 'deployment.promote.text' : 'deployment.rollback.text')}
      action={t(isPromotion ? 'deployment.promote' : 'deployment.rollback')}
      look="primary"
      command={{
        cli: isPromotion
          ? `npx berth promote ${name} ${revision}`
          : `npx berth rollback ${name} --revision ${revision}`,
        http: { method: 'POST', path: '/v1/deployment/rollback', body: { name, revision } },
      }}
      isOpen
      isReady={preview.data !== undefined}
      onConfirm={() => {
        deployRun.begin(name, (options) => client.rollback(name, { ...options, revision }));
        onClose();
      }}
      onClose={onClose}
    >
      <Loaded query={preview} rows={3}>
        {(data) => <Changes preview={data} />}
      </Loaded>
    </ConfirmDialog>
  );
}

function Changes({ preview }: { readonly preview: RollbackPreview }) {
  const { t } = useConsoleTexts();
  const changes = describeRollback(preview, t);
  if (changes.length === 0) return <p>{t('deployment.rollback.same')}</p>;
  return (
    <table className="w-full table-fixed text-start">
      <caption className="mb-1 text-start font-semibold">{t('deployment.rollback.changes')}</caption>
      <thead className="text-ink-soft text-xs">
        <tr>
          {[t('deployment.rollback.what'), t('deployment.rollback.now'), t('deployment.rollback.after')].map(
            (title) => (
              <th key={title} scope="col" className="py-1 pe-3 text-start font-normal last:pe-0">
                {title}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {changes.map(({ key, label, now, after }) => (
          <tr key={key} className="border-line border-t align-top">
            <th scope="row" className="break-words py-1.5 pe-3 text-start font-normal">
              {label}
            </th>
            <td className="break-words py-1.5 pe-3 text-ink-soft">
              <bdi>{now}</bdi>
            </td>
            <td className="break-words py-1.5">
              <bdi>{after}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
