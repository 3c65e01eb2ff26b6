import { CSPProvider } from '@base-ui/react/csp-provider';
import { type Language, type Messages, TextProvider, ToastProvider } from '@berth/ui';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import { type Console, ConsoleProvider } from '../api/console-context.ts';
import { LanguageContext } from '../components/language-context.ts';
import { loadMessages } from '../text/load-messages.ts';
import { createQueries } from './create-queries.ts';
import { router } from './router.tsx';

export interface AppProps {
  readonly value: Console;
  readonly language: Language;
  readonly messages: Messages;
}

/** The console with all that its views share. */
export function App({ value, ...first }: AppProps) {
  const [{ language, messages }, setTexts] = useState(first);
  const [queries] = useState(() => createQueries(value.session));
  const speak = async (next: Language) => setTexts({ language: next, messages: await loadMessages(next) });
  return (
    <CSPProvider disableStyleElements>
      <ConsoleProvider value={value}>
        <QueryClientProvider client={queries}>
          <LanguageContext value={speak}>
            <TextProvider language={language} messages={messages}>
              <ToastProvider>
                <RouterProvider router={router} />
              </ToastProvider>
            </TextProvider>
          </LanguageContext>
        </QueryClientProvider>
      </ConsoleProvider>
    </CSPProvider>
  );
}
