import type { AgentPaths, AnswerOf } from '@berth/client';
import type { ToolMode } from '@berth/contract/agent';
import { ErrorNote, Skeleton } from '@berth/ui';
import { useCallback, useEffect, useState } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { visible } from '../media/visible.ts';
import { ToolModeSelect } from '../tools/tool-mode-select.tsx';

/** The tools of a connector, each with a select for its mode. */
export function ConnectorTools({ connector }: { readonly connector: string }) {
  const { t } = useChatTexts();
  const { api } = useAgent();
  const [tools, setTools] = useState<AnswerOf<AgentPaths, 'get', '/connectors/{name}/tools'> | undefined>();
  const [error, setError] = useState<unknown>();
  const refresh = useCallback(
    () => api.get('/connectors/{name}/tools', { params: { path: { name: connector } } }).then(setTools, setError),
    [api, connector],
  );
  useEffect(() => void refresh(), [refresh]);
  const change = (tool: string, mode: ToolMode) => {
    setError(undefined);
    const params = { path: { name: connector, tool } };
    const work = api.put('/connectors/{name}/tools/{tool}', { params, body: { mode } });
    void work.catch(setError).then(refresh);
  };
  return (
    <div className="flex flex-col gap-2">
      {error !== undefined && <ErrorNote error={error} />}
      {tools === undefined && error === undefined && <Skeleton rows={3} />}
      {tools?.length === 0 && <p className="text-ink-soft">{t('connect.noTools')}</p>}
      <ul className="flex flex-col divide-y divide-line">
        {tools?.map(({ name, title, description, writes, mode }) => (
          <li key={name} className="flex items-start gap-2 py-2">
            <div className="min-w-0 flex-1">
              <p dir="auto" className="break-words">
                {visible(title || name)}
                {writes && <span className="ms-2 text-xs text-warn">{t('tools.writes')}</span>}
              </p>
              <p dir="auto" className="line-clamp-2 text-xs text-ink-soft">
                {visible(description)}
              </p>
            </div>
            <ToolModeSelect name={visible(title || name)} mode={mode} onChange={(next) => change(name, next)} />
          </li>
        ))}
      </ul>
    </div>
  );
}
