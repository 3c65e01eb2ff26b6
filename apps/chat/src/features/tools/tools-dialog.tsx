import { Dialog, EmptyState, ErrorNote, IconButton, MiddleText, Skeleton } from '@berth/ui';
import { RotateCcw, Wrench } from 'lucide-react';
import { useCallback } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { useLoaded } from '../../components/use-loaded.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { visible } from '../media/visible.ts';
import { type ListedTool, readOwnTools } from './own-tools.ts';
import { ToolModeSelect } from './tool-mode-select.tsx';

/** A dialog that lists the agent's own tools with the mode of each. */
export function ToolsDialog({ onClose }: { onClose(): void }) {
  const { t } = useChatTexts();
  const { api } = useAgent();
  const { value: tools, error, reload, change } = useLoaded(useCallback(() => readOwnTools(api), [api]));
  return (
    <Dialog title={t('tools.title')} description={t('tools.text')} isOpen onClose={onClose} isWide>
      {error !== undefined && <ErrorNote error={error} onRetry={() => void reload()} />}
      {tools === undefined && error === undefined && <Skeleton rows={3} />}
      {tools?.length === 0 && <EmptyState icon={Wrench} title={t('tools.none')} text={t('tools.noneText')} />}
      <ul aria-label={t('tools.title')} className="flex flex-col divide-y divide-line">
        {tools?.map((tool) => {
          const params = { path: { tool: tool.name } };
          return (
            <ToolRow
              key={tool.name}
              tool={tool}
              onMode={(mode) => void change(api.put('/tools/{tool}', { params, body: { mode } }))}
              onReset={() => void change(api.delete('/tools/{tool}', { params }))}
            />
          );
        })}
      </ul>
    </Dialog>
  );
}

interface ToolRowProps {
  readonly tool: ListedTool;
  onMode(mode: ListedTool['mode']): void;
  onReset(): void;
}

function ToolRow({ tool, onMode, onReset }: ToolRowProps) {
  const { t } = useChatTexts();
  const { name, description, risk, mode, is_chosen: isChosen, is_available: isAvailable } = tool;
  const note =
    risk === undefined ? 'tools.gone' : isAvailable === false ? 'tools.unavailable' : (`tools.risk.${risk}` as const);
  return (
    <li className="flex flex-wrap items-center gap-x-2 gap-y-1 py-2.5">
      <div className="min-w-40 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-mono text-sm">
            <MiddleText text={name} />
          </span>
          <span className={`text-xs ${risk === 'destructive' ? 'text-warn' : 'text-ink-soft'}`}>{t(note)}</span>
        </p>
        {description !== undefined && (
          <p dir="auto" title={visible(description)} className="from-start line-clamp-2 text-xs text-ink-soft">
            {visible(description)}
          </p>
        )}
      </div>
      <ToolModeSelect {...{ name, mode }} onChange={onMode} />
      <IconButton
        icon={RotateCcw}
        label={t('tools.reset', { name })}
        onClick={onReset}
        // The hidden button keeps its space, so that the rows align.
        className={isChosen ? '' : 'invisible'}
      />
    </li>
  );
}
