import type { AgentConfig } from '@berth/contract/agent';
import { Button, ErrorNote } from '@berth/ui';
import { useState } from 'react';
import { useChatTexts } from '../../text/use-chat-texts.ts';

export interface SignInPageProps {
  readonly config: AgentConfig;
  /** The error of a failed sign-in. */
  readonly problem?: unknown;
  onSignIn(): Promise<void>;
}

/** The page before a sign-in and after a failed one. */
export function SignInPage({ config, problem: before, onSignIn }: SignInPageProps) {
  const { t } = useChatTexts();
  const [problem, setProblem] = useState(before);
  const [isBusy, setBusy] = useState(false);
  const signIn = async () => {
    setBusy(true);
    setProblem(undefined);
    await onSignIn().catch(setProblem);
    setBusy(false);
  };
  return (
    <main className="m-auto flex w-full max-w-md flex-col items-center gap-5 px-4 py-12 text-center">
      <img src={config.favicon} alt="" className="size-14 rounded-xl" />
      <h1 dir="auto" className="max-w-full text-2xl font-semibold text-balance wrap-anywhere">
        {config.title}
      </h1>
      {config.description !== undefined && (
        <p dir="auto" className="text-base text-pretty text-ink-soft">
          {config.description}
        </p>
      )}
      {problem !== undefined && <ErrorNote error={problem} />}
      <Button look="primary" className="h-10! px-6" isBusy={isBusy} onClick={() => void signIn()}>
        {t('sign.in')}
      </Button>
    </main>
  );
}

/** The page of a sign-in window that the browser does not allow to close itself. */
export function SignedInPage({ config }: { readonly config: AgentConfig }) {
  const { t } = useChatTexts();
  return (
    <main className="m-auto flex w-full max-w-md flex-col items-center gap-3 px-4 py-12 text-center">
      <img src={config.favicon} alt="" className="size-14 rounded-xl" />
      <h1 className="text-2xl font-semibold">{t('sign.done')}</h1>
      <p className="text-base text-ink-soft">{t('sign.doneText')}</p>
    </main>
  );
}
