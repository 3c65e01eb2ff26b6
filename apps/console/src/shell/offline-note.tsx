import { BerthError } from '@berth/kit';
import { useQueryClient } from '@tanstack/react-query';
import { CloudOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { useConsoleTexts } from '../text/use-console-texts.ts';

/** Says that the platform is unreachable while any query fails for that reason. */
export function OfflineNote() {
  const { t } = useConsoleTexts();
  const cache = useQueryClient().getQueryCache();
  const isAway = useSyncExternalStore(
    (onChange) => cache.subscribe(onChange),
    () => cache.getAll().some(({ state }) => BerthError.is(state.error, 'unavailable')),
  );
  return (
    <div role="status">
      {isAway && (
        <p className="mb-4 flex items-center gap-2 rounded-md bg-warn-soft px-3 py-2">
          <CloudOff aria-hidden className="size-4 shrink-0 text-warn" />
          {t('shell.offline')}
        </p>
      )}
    </div>
  );
}
