import type { DeployErrorCode, DeployEvent } from '@berth/contract';
import { ErrorNote } from '@berth/ui';
import { useConsoleTexts } from '../../../text/use-console-texts.ts';

/** Last part of the message key of the advice, by error code. */
const ADVICE = {
  archive_invalid: 'archive',
  build_failed: 'build',
  build_timeout: 'buildTimeout',
  start_failed: 'start',
  start_timeout: 'port',
  port_not_open: 'port',
  out_of_capacity: 'capacity',
  canary_failed: 'canary',
  cancelled: 'cancelled',
  internal: 'internal',
} as const satisfies Readonly<Record<DeployErrorCode, string>>;

/** Why a deploy failed, with advice. */
export function Failure({ failure: { code, message } }: { readonly failure: Pick<DeployEvent, 'code' | 'message'> }) {
  const { t } = useConsoleTexts();
  return (
    <>
      <ErrorNote error={message} />
      <p className="text-ink-soft">{t(`deploy.advice.${ADVICE[code ?? 'internal']}`)}</p>
    </>
  );
}
