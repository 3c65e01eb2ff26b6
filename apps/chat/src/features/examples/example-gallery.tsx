import { useCallback } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { useLoaded } from '../../components/use-loaded.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';

/** The example conversations of the agent; nothing when there are none or they cannot be read. */
export function ExampleGallery() {
  const { t } = useChatTexts();
  const { api } = useAgent();
  const { value } = useLoaded(useCallback(() => api.get('/examples'), [api]));
  return value?.categories.map(({ label, items }) => (
    <section key={label} aria-label={label || t('examples.title')} className="w-[min(36rem,100%)] text-start">
      <h3 dir="auto" className="mb-2 text-sm font-medium text-ink-soft">
        {label || t('examples.title')}
      </h3>
      <ul className="grid grid-cols-1 gap-2 sm:grid-cols-2">
        {items.map(({ share, title, prompt }) => (
          <li key={share}>
            <a
              href={share}
              title={t('examples.open')}
              className="flex h-full min-h-11 flex-col justify-center gap-1 rounded-lg border border-line bg-raised p-3 hover:bg-hover"
            >
              <span dir="auto" className="from-start truncate font-medium">
                {title || t('chats.untitled')}
              </span>
              {prompt !== title && (
                <span dir="auto" className="from-start line-clamp-2 text-ink-soft">
                  {prompt}
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </section>
  ));
}
