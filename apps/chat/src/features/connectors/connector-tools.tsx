import { ErrorNote, Skeleton } from '@berth/ui';
import { useCallback } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { useLoaded } from '../../components/use-loaded.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { visible } from '../media/visible.ts';
import { ToolModeSelect } from '../tools/tool-mode-select.tsx';

/** The tools of a connector, each with a select for its mode. */
export function ConnectorTools({ connector: name }: { readonly connector: string }) {
  const { t } = useChatTexts();
  const { api } = useAgent();
  const load = useCallback(() => api.get('/connectors/{name}/tools', { params: { path: { name } } }), [api, name]);
  const { value: tools, error, change } = useLoaded(load);
  return (
    <div className="flex flex-col gap-2">
      {error !== undefined && <ErrorNote error={error} />}
      {tools === undefined && error === undefined && <Skeleton rows={3} />}
      {tools?.length === 0 && <p className="text-ink-soft">{t('connect.noTools')}</p>}
      <ul className="flex flex-col divide-y divide-line">
        {tools?.map(({ name: tool, title, description, writes, mode: before }) => (
          <li key={tool} className="flex items-start gap-2 py-2">
            <div className="min-w-0 flex-1">
              <p dir="auto" className="from-start break-words">
                {visible(title || tool)}
                {writes && <span className="ms-2 text-xs text-warn">{t('tools.risk.write')}</span>}
              </p>
              <p dir="auto" className="from-start line-clamp-2 text-xs text-ink-soft">
                {visible(description)}
              </p>
            </div>
            <ToolModeSelect
              name={visible(title || tool)}
              mode={before}
              onChange={(mode) => {
                const params = { path: { name, tool } };
                void change(api.put('/connectors/{name}/tools/{tool}', { params, body: { mode } }));
              }}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
