import type { ToolMode } from '@berth/contract/agent';
import { Dialog, ErrorNote, IconButton, MiddleText, Skeleton } from '@berth/web';
import { RotateCcw } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { usePage } from '../page-context.ts';
import { ToolModeSelect } from './tool-mode-select.tsx';

/** What the person decided about the agent's own tools. The API lists no others. */
export function ToolsDialog({ onClose }: { onClose(): void }) {
  const { t } = useChatTexts();
  const { api } = usePage();
  const [modes, setModes] = useState<Readonly<Record<string, ToolMode>> | undefined>();
  const [error, setError] = useState<unknown>();
  const refresh = useCallback(() => api.json<Record<string, ToolMode>>('/tools').then(setModes, setError), [api]);
  useEffect(() => void refresh(), [refresh]);
  const change = (work: Promise<unknown>) => {
    setError(undefined);
    void work.catch(setError).then(refresh);
  };
  const rows = modes && Object.entries(modes);
  return (
    <Dialog title={t('tools.title')} description={t('tools.text')} isOpen onClose={onClose}>
      {error !== undefined && <ErrorNote error={error} />}
      {rows === undefined && error === undefined && <Skeleton rows={3} />}
      {rows?.length === 0 && <p>{t('tools.none')}</p>}
      <ul className="flex flex-col divide-y divide-line">
        {rows?.map(([name, mode]) => {
          const path = `/tools/${encodeURIComponent(name)}`;
          return (
            <li key={name} className="flex min-h-12 items-center gap-2">
              <span className="min-w-0 flex-1 font-mono text-sm">
                <MiddleText text={name} />
              </span>
              <ToolModeSelect
                {...{ name, mode }}
                onChange={(next) => change(api.sendJson('PUT', path, { mode: next }))}
              />
              <IconButton
                icon={RotateCcw}
                label={t('tools.reset', { name })}
                onClick={() => change(api.send(path, { method: 'DELETE' }))}
              />
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
