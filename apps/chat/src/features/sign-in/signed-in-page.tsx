import type { AgentConfig } from '@berth/contract/agent';
import { useChatTexts } from '../../text/use-chat-texts.ts';

/** The page of a sign-in window that the browser does not allow to close itself. */
export function SignedInPage({ config }: { readonly config: AgentConfig }) {
  const { t } = useChatTexts();
  return (
    <main className="m-auto flex w-full max-w-md flex-col items-center gap-3 px-4 py-12 text-center">
      <img src={config.favicon} alt="" className="size-12" />
      <h1 className="text-2xl font-semibold">{t('sign.done')}</h1>
      <p className="text-base text-ink-soft">{t('sign.doneText')}</p>
    </main>
  );
}
