import { Dialog, EmptyState, ErrorNote, Skeleton } from '@berth/ui';
import { Compass } from 'lucide-react';
import { useCallback } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { useLoaded } from '../../components/use-loaded.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';

/** A dialog that lists other agents with links to their pages. */
export function AgentsDialog({ onClose }: { onClose(): void }) {
  const { t } = useChatTexts();
  const { api } = useAgent();
  const { value, error } = useLoaded(useCallback(() => api.get('/explore'), [api]));
  const agents = value?.agents;
  return (
    <Dialog title={t('agents.title')} isOpen onClose={onClose} isWide>
      {error !== undefined && <ErrorNote error={error} />}
      {agents === undefined && error === undefined && <Skeleton rows={4} />}
      {agents?.length === 0 && <EmptyState icon={Compass} title={t('agents.none')} />}
      <ul className="grid grid-cols-1 gap-2 sm:grid-cols-2">
        {agents?.map(({ slug, title, description, icon_svg, link }) => (
          <li key={slug}>
            <a
              href={link}
              rel="noreferrer"
              className="flex h-full gap-3 rounded-lg border border-line p-3 hover:bg-hover"
            >
              {icon_svg !== undefined && (
                // In an `img`, an SVG cannot run scripts or load anything.
                <img src={`data:image/svg+xml,${encodeURIComponent(icon_svg)}`} alt="" className="size-8 shrink-0" />
              )}
              <span className="min-w-0">
                <span dir="auto" className="from-start block truncate font-medium">
                  {title}
                </span>
                <span dir="auto" className="from-start line-clamp-3 text-ink-soft">
                  {description}
                </span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
