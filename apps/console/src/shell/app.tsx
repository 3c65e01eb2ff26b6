import { CSPProvider } from '@base-ui/react/csp-provider';
import { type Language, type Messages, TextProvider, ToastProvider } from '@berth/ui';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import { type Console, ConsoleContext } from '../api/console-context.ts';
import { LanguageContext } from '../components/language-context.ts';
import type { DeployRun } from '../features/deploys/state/create-deploy-run.ts';
import { DeployRunContext } from '../features/deploys/state/deploy-run-context.ts';
import type { PasskeyBrowser } from '../features/passkeys/passkey-browser.ts';
import { PasskeyBrowserContext } from '../features/passkeys/passkey-browser-context.ts';
import type { UploadQueue } from '../features/volumes/uploads/state/upload-queue.ts';
import { UploadQueueContext } from '../features/volumes/uploads/state/upload-queue-context.ts';
import { loadMessages } from '../text/load-messages.ts';
import { createQueries } from './create-queries.ts';
import { router } from './router.tsx';

interface AppProps {
  readonly api: Console;
  readonly deployRun: DeployRun;
  readonly uploads: UploadQueue;
  readonly passkeys: PasskeyBrowser;
  readonly language: Language;
  readonly messages: Messages;
}

/** The console: the router, and the contexts that features read. */
export function App({ api, deployRun, uploads, passkeys, ...first }: AppProps) {
  const [{ language, messages }, setTexts] = useState(first);
  const [queries] = useState(() => createQueries(api.session));
  const speak = async (next: Language) => setTexts({ language: next, messages: await loadMessages(next) });
  return (
    <CSPProvider disableStyleElements>
      <ConsoleContext value={api}>
        <DeployRunContext value={deployRun}>
          <UploadQueueContext value={uploads}>
            <PasskeyBrowserContext value={passkeys}>
              <QueryClientProvider client={queries}>
                <LanguageContext value={speak}>
                  <TextProvider language={language} messages={messages}>
                    <ToastProvider>
                      <RouterProvider router={router} />
                    </ToastProvider>
                  </TextProvider>
                </LanguageContext>
              </QueryClientProvider>
            </PasskeyBrowserContext>
          </UploadQueueContext>
        </DeployRunContext>
      </ConsoleContext>
    </CSPProvider>
  );
}
